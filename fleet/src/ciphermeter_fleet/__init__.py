"""Measures many machines with Ciphermeter, each once and alone, and collects their runs, on Dask distributed."""

__version__ = "0.1.0"
