#!/usr/bin/env python3
"""Writes icons.json from concepts.txt and four icon sets.

Usage: build.py FOLDER, where FOLDER is the node_modules that holds the packages named in README.md.
Knows how the sets name their outline and filled forms. Does not know words, which the program reads itself, or how
shapes are compared.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
PACKAGES = {"f7": "f7", "ms": "material-symbols", "tabler": "tabler", "ph": "ph"}
# Where a set has letters, they are kept as shapes that are no icon: text must not be taken for one.
LETTERS = [f"letter-{c}" for c in "abcdefghijklmnopqrstuvwxyz"] + [f"number-{n}" for n in range(10)]

# And what any screen has that is no icon either: discs, rings, boxes and bars.
PLAIN = {
    "disc": '<circle cx="12" cy="12" r="10"/>',
    "box": '<rect x="2" y="2" width="20" height="20" rx="1"/>',
    "round-box": '<rect x="2" y="2" width="20" height="20" rx="5"/>',
    "wide-box": '<rect x="2" y="5" width="20" height="14" rx="2"/>',
    "tall-box": '<rect x="5" y="2" width="14" height="20" rx="2"/>',
    "lozenge": '<rect x="2" y="6" width="20" height="12" rx="6"/>',
    "bar": '<rect x="2" y="9" width="20" height="6" rx="1"/>',
}


class Set:
    """One icon set as its package ships it."""

    def __init__(self, folder, short):
        path = folder / "@iconify-json" / PACKAGES[short] / "icons.json"
        data = json.loads(path.read_text())
        self.short = short
        self.icons = data["icons"]
        self.aliases = data.get("aliases", {})
        self.size = (data.get("width", 16), data.get("height", 16))

    def get(self, name):
        """The drawing of this name, or None; an alias that also turns the drawing is not taken."""
        for _ in range(4):
            if name in self.icons:
                icon = self.icons[name]
                return icon.get("width", self.size[0]), icon.get("height", self.size[1]), icon["body"]
            alias = self.aliases.get(name)
            if alias is None or set(alias) - {"parent"}:
                return None
            name = alias["parent"]
        return None

    def forms(self, name):
        """Pairs of a drawing's name and whether it is filled."""
        if name.startswith("="):
            name = name[1:]
            bare_is_filled = self.short == "ms" and self.get(name + "-outline") is not None
            return [(name, name.endswith(("-fill", "-filled")) or bare_is_filled)]
        if self.short == "ms":
            pairs = [(name + "-outline", False), (name, self.get(name + "-outline") is not None)]
        else:
            ending = "-fill" if self.short in ("f7", "ph") else "-filled"
            pairs = [(name, name.endswith(ending)), (name + ending, True)]
        return [pair for pair in pairs if self.get(pair[0]) is not None]


def main():
    sets = {short: Set(pathlib.Path(sys.argv[1]), short) for short in PACKAGES}
    concepts, missing = [], []
    for number, line in enumerate((HERE / "concepts.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        head, _, rest = line.partition(":")
        if not line.startswith(" "):
            concepts.append({"name": head.replace("[mirrors]", "").strip(), "shapes": []})
            continue
        icons = sets[head.strip()]
        for item in (item.strip() for item in rest.split(",") if item.strip()):
            forms = icons.forms(item)
            drawn = [(form, filled, icons.get(form)) for form, filled in forms]
            if not drawn or any(icon is None for _, _, icon in drawn):
                missing.append(f"line {number}: {head.strip()} {item}")
                continue
            for form, filled, (width, height, body) in drawn:
                shape = {"set": icons.short, "name": form, "filled": filled, "size": [width, height], "body": body}
                if all(other["body"] != body for other in concepts[-1]["shapes"]):
                    concepts[-1]["shapes"].append(shape)
    if missing:
        sys.exit("not in the sets:\n" + "\n".join(missing))
    letters = [{"name": name, "size": list(sets["tabler"].size), "body": sets["tabler"].get(name)[2]} for name in LETTERS]
    letters += [{"name": name, "size": [24, 24], "body": body} for name, body in PLAIN.items()]
    table = {"concepts": concepts, "letters": letters}
    lines = ["{\"concepts\": ["]
    lines.append(",\n".join(json.dumps(concept, ensure_ascii=False) for concept in table["concepts"]))
    lines.append("], \"letters\": [")
    lines.append(",\n".join(json.dumps(letter) for letter in table["letters"]))
    lines.append("]}")
    (HERE / "icons.json").write_text("\n".join(lines) + "\n")
    shapes = [shape for concept in concepts for shape in concept["shapes"]]
    print(len(concepts), "concepts,", len(shapes), "shapes,", sum(s["filled"] for s in shapes), "of them filled")


if __name__ == "__main__":
    main()
