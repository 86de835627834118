"""`mmk machines`: the list, the figures of one, both as JSON."""

import json

from command import CommandTest, main

NAMES = ["ascend310p3", "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "ascend950dt",
         "ascend950pr", "host"]


class Machines(CommandTest):
    def test_list(self):
        lines = self.mmk("machines").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["machine", *NAMES])
        self.assertEqual([each["machine"] for each in json.loads(self.mmk("machines", "--json",
                                                                          "-"))], NAMES)

    def test_every_figure_has_a_source(self):
        for name in NAMES:
            (machine,) = json.loads(self.mmk("machines", name, "--json", "-"))
            words = [path for path, figure in machine["figures"].items() if "source" not in figure]
            self.assertTrue(all(path in {"description", "kind", "topology", "mixed_task.as",
                                         "fixpipe_leaky_relu.use"} or
                                path.endswith(".pipe") for path in words), words)
            self.assertTrue(machine["sources"])

    def test_text_and_json_say_the_same(self):
        text = self.mmk("machines", "ascend910b3")
        (machine,) = json.loads(self.mmk("machines", "ascend910b3", "--json", "-"))
        shown = {line.split()[0]: line.split()[1] for line in text.splitlines()
                 if "." in line.split(" ")[0]}
        for path, value in shown.items():
            self.assertEqual(str(machine["figures"][path]["value"]), value)
        self.assertIn("cube.macs_per_cycle.f16", shown)

    def test_what_if(self):
        (machine,) = json.loads(self.mmk("machines", "ascend910b3", "--machine-set",
                                         "cube_cores=*0.5", "--json", "-"))
        self.assertEqual(machine["figures"]["cube_cores"],
                         {"value": 10, "source": "--machine-set: *0.5 of 20"})


if __name__ == "__main__":
    main()
