"""Where series step, by ruptures and by Otava: one JSON array a line in, one array of places a rival a line out."""

import json
import sys

import numpy as np

RIVALS = {}
try:
    import ruptures

    def _ruptures(series):
        values = np.array(series)
        # The noise from successive differences, by medians, and the usual penalty: 2 σ² ln n.
        variance = np.median(np.diff(values) ** 2) / 0.4549 / 2
        penalty = 2 * variance * np.log(len(values))
        return ruptures.Pelt(model="l2", min_size=2, jump=1).fit(values).predict(pen=penalty)[:-1]

    RIVALS["ruptures"] = _ruptures
except ImportError:
    pass
try:
    from otava.analysis import compute_change_points

    def _otava(series):
        points, _ = compute_change_points(series)
        return [point.index for point in points]

    RIVALS["otava"] = _otava
except ImportError:
    pass

for line in sys.stdin:
    series = json.loads(line)
    found = {name: [int(place) for place in steps(series)] for name, steps in RIVALS.items()}
    print(json.dumps(found), flush=True)
