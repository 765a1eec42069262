"""Samples several builds of a worker in turns and prints what each reached, in GB/s: median, least, most.

    python3 docs/measurements/turns.py PROVIDER ALGORITHM FORM MESSAGE ITERATIONS SAMPLES PROGRAM...

In each turn every PROGRAM takes one sample of ITERATIONS, in an order that changes from turn to turn.
"""

import json
import random
import statistics
import subprocess
import sys

provider, algorithm, form = sys.argv[1:4]
message, iterations, samples = map(int, sys.argv[4:7])
PREPARE = {"do": "prepare", "cell": 1, "provider": provider, "algorithm": algorithm, "operation": "encrypt",
           "form": form, "message": message, "aad": 0, "threads": 1, "seed": 7}  # fmt: skip
SAMPLE = {"do": "sample", "cell": 1, "warmup_ns": 1, "iterations": iterations}


def ask(worker, request):
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    reply = json.loads(worker.stdout.readline())
    if reply["is"] not in ("ready", "sample"):
        sys.exit(f"{worker.args[0]}: {reply}")
    return reply


pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
workers = {program: subprocess.Popen([program, provider], **pipes) for program in sys.argv[7:]}
for worker in workers.values():
    ask(worker, PREPARE)
rates = {program: [] for program in workers}
for _ in range(samples):
    for program in random.sample(list(workers), len(workers)):
        rates[program].append(message * iterations / ask(workers[program], SAMPLE)["ns"])
for program, reached in rates.items():
    print(f"{program:40} {statistics.median(reached):8.2f} {min(reached):8.2f} {max(reached):8.2f}")
for worker in workers.values():
    worker.stdin.close()
    worker.wait()
