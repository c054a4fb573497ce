"""The voice activity network of the package silero-vad: 100 chunks of speech-like sound, the state of
each carried to the next, agree with ONNX Runtime to 1e-4."""
import concurrent.futures
import tempfile
import unittest

import numpy
import support

RATE = 16000
CHUNKS = 100
CONTEXT = 64  # samples that a chunk repeats of the one before it


def sound():
    """Noise, and between it syllables: a voice of 120 to 180 Hz with its overtones under formants."""
    random = numpy.random.default_rng(1)
    time = numpy.arange(CHUNKS * 512) / RATE
    pitch = 2 * numpy.pi * numpy.cumsum(150 + 30 * numpy.sin(2 * numpy.pi * 0.7 * time)) / RATE
    frequencies = 150 * numpy.arange(1, 25)
    formants = sum(numpy.exp(-((frequencies - f) / 180.0) ** 2) for f in (600, 1200, 2500))
    voice = sum(a * numpy.sin(k * pitch) for k, a in enumerate(formants + 0.05, 1))
    syllables = numpy.clip(numpy.sin(2 * numpy.pi * 3 * time), 0, 1) * (time > 0.8) * (time < 2.4)
    return (0.15 * voice * syllables + 0.01 * random.standard_normal(time.size)).astype(numpy.float32)


def chunks():
    padded = numpy.concatenate([numpy.zeros(CONTEXT, numpy.float32), sound()])
    return [padded[None, i * 512:i * 512 + CONTEXT + 512] for i in range(CHUNKS)]


def own_outputs(model, folder, target):
    """Yields the answer and the state after each chunk, computed by zyxc from its own states."""
    state = numpy.zeros((2, 1, 128), numpy.float32)
    numpy.save(f"{folder}/sr.npy", numpy.array(RATE))
    arguments = [model, "--quiet", f"--target={target}", f"--input=input=@{folder}/x.npy",
                 f"--input=state=@{folder}/state.npy", f"--output=output=@{folder}/y.npy",
                 f"--output=stateN=@{folder}/next.npy"]
    if "openvino" not in model.name:  # the others take the rate as an input
        arguments.append(f"--input=sr=@{folder}/sr.npy")
    for chunk in chunks():
        numpy.save(f"{folder}/x.npy", chunk)
        numpy.save(f"{folder}/state.npy", state)
        support.zyxc("run", *arguments)
        state = numpy.load(f"{folder}/next.npy")
        yield numpy.load(f"{folder}/y.npy"), state


def reference_outputs(model):
    session = support.onnxruntime_session(model)
    state = numpy.zeros((2, 1, 128), numpy.float32)
    rate = {"sr": numpy.array(RATE)} if len(session.get_inputs()) == 3 else {}
    for chunk in chunks():
        answer, state = session.run(["output", "stateN"], {"input": chunk, "state": state, **rate})
        yield answer, state


def worst_difference(name, target):
    """Over all chunks, and the answers themselves."""
    model, worst, answers = support.silero_model(name), 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for own, reference in zip(own_outputs(model, folder, target), reference_outputs(model),
                                  strict=True):
            for ours, theirs in zip(own, reference):
                if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
                    raise AssertionError(f"{ours.dtype}{ours.shape} for {theirs.dtype}{theirs.shape}")
                difference = numpy.abs(ours - theirs).max()
                worst = max(worst, float(difference) if numpy.isfinite(difference) else numpy.inf)
            answers.append(float(own[0].item()))
    return worst, answers


class Silero(unittest.TestCase):
    def test_agrees_with_onnxruntime(self):
        jobs = [("silero_16k", "cpu"), ("silero", "cpu")]
        if support.LONG:
            jobs += [("silero_16k", "interp"), ("silero", "interp")]
        support.silero_model("silero")  # skips where the package is missing
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job, (worst, answers) in zip(jobs, pool.map(lambda job: worst_difference(*job), jobs)):
                with self.subTest(job=job):
                    self.assertEqual(len(answers), CHUNKS)
                    self.assertLess(worst, 1e-4)
                    self.assertLess(min(answers), 0.1, "noise is no speech")
                    self.assertGreater(max(answers), 0.5, "the syllables are heard")


if __name__ == "__main__":
    unittest.main()
