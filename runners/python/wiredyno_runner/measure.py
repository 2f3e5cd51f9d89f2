"""The timed loop and the heap pass, as in crates/measured/codec/src/measure.rs for Rust.

Inside the clock: the calls of one phase, the drop of each call's result, and the step of a `for` loop to the next sample.
The garbage collector stays on: it runs in programs, too.
"""

import gc
import statistics
import time
import tracemalloc
from itertools import cycle, islice

READINGS = 1001


def measure(calls, phase, batch_ns, batches, buffer, burden_per_mille):
    """`calls` gives the function of a phase and its inputs. Returns the measurement as the contract words it."""
    call, inputs = calls(phase)
    overhead_ns, overhead_cpu_ns = _overhead()

    def batch(iterations, first):
        turned = inputs[first:] + inputs[:first]
        elapsed_ns, cpu_ns = _timed(call, islice(cycle(turned), iterations))
        return max(0, elapsed_ns - overhead_ns), max(0, cpu_ns - overhead_cpu_ns)

    iterations = _calibrated(batch, batch_ns, len(inputs))
    made = iterations + iterations * burden_per_mille // 1000
    kept, first = [], 0
    for _ in range(batches):
        elapsed_ns, cpu_ns = batch(made, first)
        first = (first + made) % len(inputs)
        kept.append({"elapsed_ns": elapsed_ns, "iterations": iterations, "cpu_ns": cpu_ns})
    return {
        "phase": phase,
        "buffer": buffer,
        "batches": kept,
        "timer_overhead_ns": float(overhead_ns),
        "allocations": {"peak_bytes": _peak_bytes(call, inputs)},
        "stack_bytes": None,
        "missing": [
            {"what": "instructions", "why": "this runner reads no instruction counter"},
            {
                "what": "stack",
                "why": "Python's interpreter keeps its frames on its heap, and does not report the depth of the C stack",
            },
            {
                "what": "allocations",
                "why": "tracemalloc reports the bytes that are held, not the number of allocations",
            },
        ],
    }


def _timed(call, inputs):
    product = None
    cpu_ns = time.thread_time_ns()
    start_ns = time.monotonic_ns()
    for one in inputs:
        product = call(one)
    end_ns = time.monotonic_ns()
    cpu_ns = time.thread_time_ns() - cpu_ns
    del product
    return end_ns - start_ns, cpu_ns


def _overhead():
    """The cost of reading the clocks: the median of readings without calls."""
    readings = [_timed(None, ()) for _ in range(READINGS)]
    return tuple(int(statistics.median(reading[place] for reading in readings)) for place in (0, 1))


def _calibrated(batch, batch_ns, samples):
    """The number of calls that take at least `batch_ns`, in whole rounds through the samples if it takes more than one. A batch that seems
    long enough is timed again, and the shorter time counts: the thread may have waited for a CPU."""
    iterations = 1
    while True:
        elapsed_ns = max(1, batch(iterations, 0)[0])
        if elapsed_ns >= batch_ns:
            elapsed_ns = min(elapsed_ns, max(1, batch(iterations, 0)[0]))
        if elapsed_ns >= batch_ns:
            break
        wanted = iterations * batch_ns * 11 // (elapsed_ns * 10)
        iterations = min(max(wanted, iterations + 1), iterations * 10)
    return -(-iterations // samples) * samples if iterations > samples else iterations


def _peak_bytes(call, inputs):
    """The most bytes that one call held beyond those before it, the largest of the samples; after a warm-up round."""
    for one in inputs:
        call(one)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        peak = 0
        # The first round under tracemalloc allocates what is kept between calls.
        for last in (False, True):
            for one in inputs:
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                product = call(one)
                held = tracemalloc.get_traced_memory()[1] - before
                del product
                peak = max(peak, held) if last else 0
        return peak
    finally:
        tracemalloc.stop()
        gc.enable()
