"""`mmk run --profile`: the files of a profiler, and that they agree with the report."""

import bisect
import collections
import csv
import json
import re

from command import EXAMPLES, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
PIPES = ["scalar", "mte1", "mte2", "mte3", "cube", "fixpipe", "vector"]
# Fields that users' scripts read.
COLUMNS = ["Task Duration(us)", "Block Dim", "aicore_time(us)", "aic_total_cycles",
           "aiv_total_cycles",
           *(f"{pipe}_{figure}" for pipe in ("aic_mac", "aic_mte1", "aic_mte2", "aic_fixpipe",
                                             "aic_scalar", "aiv_vec", "aiv_mte2", "aiv_mte3")
             for figure in ("time(us)", "ratio"))]
OF_PIPE = {("cube core", "cube"): "aic_mac", ("cube core", "mte1"): "aic_mte1",
           ("cube core", "mte2"): "aic_mte2", ("cube core", "fixpipe"): "aic_fixpipe",
           ("cube core", "scalar"): "aic_scalar", ("vector core", "vector"): "aiv_vec",
           ("vector core", "mte2"): "aiv_mte2", ("vector core", "mte3"): "aiv_mte3",
           ("vector core", "scalar"): "aiv_scalar"}

# The events of the trace viewers' JSON object format that a trace has: by phase, the type of each
# required field; those in brackets are optional.
METADATA = {"ph": str, "name": str, "pid": int, "tid": int, "args": dict}
FLOW = {"ph": str, "name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": int}
FIELDS = {
    "M": METADATA,
    "X": {**METADATA, "cat": str, "ts": int, "dur": int},
    "s": FLOW,
    "f": {**FLOW, "bp": str},  # to the slice around its end, not to the next one
}
ARGUMENTS = {"line": str, "buffers": str, "bytes": int, "held_by": str, "waited": int,
             "critical": bool}
NAMED = {"process_name": "name", "thread_name": "name", "process_sort_index": "sort_index",
         "thread_sort_index": "sort_index"}



def task_cycles(clock):
    """The fixed cost of a task, which is no part of its events."""
    return round(clock["task_us"] * clock["cycles"] / clock["time_us"])

class Profile(CommandTest):
    def profile(self, *words, folder="out"):
        """The run's report, the rows of the table, the summaries."""
        reports = self.report(*words, "--profile", folder)
        with open(self.folder / folder / "op_summary.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return reports, rows, json.loads((self.folder / folder / "summary.json").read_text())

    def trace(self, name="out/trace.json"):
        return json.loads((self.folder / name).read_text())

    def check_event(self, event):
        """Its fields are those of the format, and no others."""
        fields = FIELDS[event["ph"]]
        self.assertEqual({name: type(value) for name, value in event.items()}, fields, event)
        for name in ("pid", "tid"):
            self.assertGreater(event[name], 0)  # some viewers hide number 0
        for name in ("ts", "dur"):
            self.assertGreaterEqual(event.get(name, 0), 0)
        if event["ph"] == "M":
            self.assertEqual(list(event["args"]), [NAMED[event["name"]]])
        elif event["ph"] == "X":
            for name, value in event["args"].items():
                self.assertIs(type(value), ARGUMENTS[name], event)
            self.assertIn("held_by", event["args"])
        elif event["ph"] == "f":
            self.assertEqual(event["bp"], "e")

    def check_trace(self, trace):
        """Checks the rules of every trace; returns its slices by process and thread."""
        self.assertEqual(set(trace), {"otherData", "traceEvents"})
        for event in trace["traceEvents"]:
            self.check_event(event)
        slices, names, arrows = collections.defaultdict(list), {}, collections.defaultdict(dict)
        for event in trace["traceEvents"]:
            place = (event["pid"], event["tid"])
            if event["ph"] == "X":
                slices[place].append(event)
            elif event["ph"] == "M":
                names[event["name"], *place] = event["args"]
            else:
                self.assertIn(event["ph"], "sf")
                self.assertNotIn(event["ph"], arrows[event["id"]])
                arrows[event["id"]][event["ph"]] = event
        processes = {key[1] for key in names if key[0] == "process_name"}
        self.assertEqual(processes, {process for process, _ in slices})
        for place, events in slices.items():
            self.assertIn(names["thread_name", *place]["name"], PIPES)
            self.assertEqual({key[0] for key in names if key[1:] == place} | {"process_name",
                             "process_sort_index"}, set(NAMED))
            events.sort(key=lambda event: event["ts"])
            end = 0
            for event in events:
                self.assertLessEqual(end, event["ts"], event)
                end = event["ts"] + event["dur"]
        self.assertTrue(arrows)
        for arrow in arrows.values():
            self.assertEqual(set(arrow), {"s", "f"})
            self.assertLessEqual(arrow["s"]["ts"] + 1, arrow["f"]["ts"])
            for event in arrow.values():  # each end lies in a slice
                there = slices[event["pid"], event["tid"]]
                at = bisect.bisect_right(there, event["ts"], key=lambda each: each["ts"]) - 1
                self.assertLess(event["ts"], there[at]["ts"] + there[at]["dur"], event)
        self.cores = {key[1]: value["name"] for key, value in names.items()
                      if key[0] == "process_name"}
        self.pipes = {key[1:]: value["name"] for key, value in names.items()
                      if key[0] == "thread_name"}
        return slices

    def test_a_case(self):
        (report,), (row,), (summary,) = self.profile(FUSED, "--case", "S4", "--count-only")
        self.assertTrue(set(COLUMNS) <= set(row), row)
        self.assertEqual(row["Op Name"], "matmul_bias_leakyrelu")
        self.assertEqual(row["Variant"], report["variant"])
        clock = report["clock"]
        self.assertAlmostEqual(float(row["Task Duration(us)"]), clock["time_us"], places=3)
        self.assertEqual(int(row["Block Dim"]), clock["cores"])
        for pipe, column in (("cube", "aic_mac"), ("mte1", "aic_mte1"), ("vector", "aiv_vec"),
                             ("fixpipe", "aic_fixpipe"), ("mte3", "aiv_mte3")):
            self.assertAlmostEqual(float(row[f"{column}_time(us)"]),
                                   clock["pipes"][pipe]["busy_us"], places=3)
        # The summary holds the report and more.
        for name, value in report.items():
            self.assertEqual(summary[name], value)
        self.assertEqual(summary["trace"], {"file": "trace.json"})
        path = summary["critical_path"]
        worked = clock["cycles"] - task_cycles(clock)
        self.assertEqual((path["cycles"], path["whole"]), (worked, True))
        self.assertEqual(sum(pipe["cycles"] for pipe in path["pipes"]), worked)
        self.assertEqual(sum(path["held_by"].values()), worked)
        self.assertEqual(sum(part["cycles"] for part in path["parts"]), worked)

    def test_the_trace_agrees_with_the_table(self):
        for machine, core in (("ascend910b3", None), ("ascend310p3", "cube core")):
            (report,), (row,), _ = self.profile(FUSED, "--case", "S4", "--count-only",
                                                "--machine", machine, folder=machine)
            trace = self.trace(machine + "/trace.json")
            slices = self.check_trace(trace)
            mhz = trace["otherData"]["megahertz"]
            busy = collections.Counter()
            last = 0
            for (process, thread), events in slices.items():
                kind = core or self.cores[process].split(": ")[1].rstrip(" 0123456789")
                for event in events:
                    waited = event["args"].get("waited", 0)
                    busy[kind, self.pipes[process, thread]] += event["dur"] - waited
                    last = max(last, event["ts"] + event["dur"])
            self.assertEqual(last + task_cycles(report["clock"]), report["clock"]["cycles"])
            for (kind, pipe), cycles in busy.items():
                if core:
                    kind = "cube core" if ("cube core", pipe) in OF_PIPE else "vector core"
                cores = report["clock"]["cores"]
                if kind == "vector core" and not core:
                    cores *= 2
                self.assertAlmostEqual(float(row[OF_PIPE[kind, pipe] + "_time(us)"]),
                                       cycles / cores / mhz, places=2)

    def test_arguments_of_a_slice(self):
        self.profile(FUSED, "--case", "S4", "--count-only", "--set", "grid.K=1")
        slices = [event for event in self.trace()["traceEvents"] if event["ph"] == "X"]
        loads = [event["args"] for event in slices if event["name"] == "load a"]
        self.assertEqual({args["buffers"] for args in loads},
                         {"a in GM, a[0] in L1", "a in GM, a[1] in L1"})
        line = next(number for number, text in enumerate(FUSED.read_text().splitlines(), 1)
                    if "a @ b" in text)
        self.assertEqual({args["line"] for args in loads}, {f"{FUSED}:{line}"})
        waits = [event for event in slices if event["cat"] == "wait" and "waited" in event["args"]]
        self.assertIn("wait for a, b in L1 to be filled", {event["name"] for event in waits})
        self.assertIn("wait for a, b in L1 to be free", {event["name"] for event in waits})
        self.assertTrue(any(event["args"].get("critical") for event in slices))

    def test_several_cases(self):
        text = self.mmk("run", FUSED, "--case", "S4", "--case", "thin", "--count-only",
                        "--profile", "deep/folder")
        self.assertIn("profile: deep/folder/{op_summary.csv,report.html,summary.json,trace-*.json}\n", text)
        folder = self.folder / "deep/folder"
        self.assertEqual(sorted(file.name for file in folder.iterdir()),
                         ["op_summary.csv", "report.html", "summary.json", "trace-S4.json", "trace-thin.json"])
        with open(folder / "op_summary.csv", newline="") as file:
            self.assertEqual([row["Case"] for row in csv.DictReader(file)], ["S4", "thin"])
        summary = json.loads((folder / "summary.json").read_text())
        self.assertEqual([each["case"] for each in summary], ["S4", "thin"])
        for name in ("trace-S4.json", "trace-thin.json"):
            self.check_trace(self.trace(f"deep/folder/{name}"))

    def test_two_phases_follow_one_another(self):
        (report,), _, (summary,) = self.profile(FUSED, "--case", "S4", "--count-only", "--set",
                                                "fuse=none")
        self.check_trace(self.trace())
        clock = report["clock"]
        self.assertEqual(summary["critical_path"]["cycles"] + task_cycles(clock), clock["cycles"])

    def test_a_run_that_computes(self):
        (report,), _, (summary,) = self.profile(FUSED, "--case", "thin")
        self.assertTrue(summary["check"]["passed"])
        self.assertEqual(summary["host"], report["host"])

    def test_a_big_run_is_cut_and_says_so(self):
        text = self.mmk("run", FUSED, "M=4096", "N=4096", "K=4096", "--count-only", "--profile",
                        "out")
        shown, = re.findall(r"  trace.json shows (\d+ of 20 blocks, the slowest among them)\n", text)
        trace = self.trace()
        self.assertEqual(trace["otherData"]["shown"], shown)
        slices = self.check_trace(trace)
        (summary,) = json.loads((self.folder / "out/summary.json").read_text())
        last = max(event["ts"] + event["dur"] for events in slices.values() for event in events)
        self.assertEqual(last + task_cycles(summary["clock"]), summary["clock"]["cycles"])


if __name__ == "__main__":
    main()
