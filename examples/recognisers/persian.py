"""Makes a text recogniser for Persian out of the PyPI package parisaocr: persian.onnx and its dictionary persian.txt.

    pip install onnx==1.23.2 numpy==2.4.6
    pip download --no-deps parisaocr==0.7.2
    python3 persian.py parisaocr-0.7.2-py3-none-any.whl FOLDER

The package (Apache-2.0, see the NOTICE in it) holds a network that was trained with Kraken on printed Persian books. It is of
the kind that Fingertip's own recogniser is (PP-OCRv6 small), but its file holds weights alone. This writes the network out as
ONNX: each batch normalisation and each depthwise block's branches become one convolution. In front of it stand a few steps that
bring a line of a screen to what the network knows from books: dark ink is 1, the page 0, without colour and at full contrast,
with blank to both sides.
"""

import hashlib
import json
import math
import pathlib
import struct
import sys
import zipfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = "parisaocr/models/parisaocr-fa-0.1.safetensors"
SHA256 = "cf41676c0cf590cd0a01ebb342faf1ce72c42e19a213984cbad6e5ddc91ae265"
HEIGHT = 96
# The trainers' own programs add these blanks, without which letters at the ends are made up.
BEFORE, AFTER = 16, 320
HEADS = 8
# Channels, whether it weighs them, and whether it halves the height: the blocks of PP-OCRv6 small.
BLOCKS = {
    "blocks2": [(96, True, False)],
    "blocks3": [(96, False, False)] * 2,
    "blocks4": [(96, False, True)] + [(192, index % 2 == 1, False) for index in range(1, 7)],
    "blocks5": [(192, False, True), (384, True, False), (384, False, False)],
}
# What the package writes for the mark that keeps two letters apart.
STAND_IN = {"\u00a6": "\u200c"}


class Weights:
    """The tensors of a safetensors file, by what follows the network's name."""

    def __init__(self, data):
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + size])
        meta = json.loads(header.pop("__metadata__")["kraken_meta"])
        (self.prefix, self.meta), *rest = [item for item in meta.items() if "codec" in item[1]]
        assert not rest and self.meta["variant"] == "small" and self.meta["height"] == HEIGHT
        self.header, self.data = header, data[8 + size :]

    def __getitem__(self, name):
        entry = self.header[f"{self.prefix}.nn.{name}"]
        assert entry["dtype"] == "F32"
        start, end = entry["data_offsets"]
        return numpy.frombuffer(self.data[start:end], numpy.float32).reshape(entry["shape"])

    def normalisation(self, name):
        """A batch normalisation as a factor and a summand for each channel."""
        factor = self[f"{name}.weight"] / numpy.sqrt(self[f"{name}.running_var"] + 1e-5)
        return factor, self[f"{name}.bias"] - self[f"{name}.running_mean"] * factor


class Graph:
    """An ONNX graph that grows by one step at a time; each step gives the name of what it makes."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, value, kind=numpy.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(value, kind), name))
        return name

    def numbers(self, *values):
        return self.constant(values, numpy.int64)

    def step(self, operator, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name, **attributes))
        return name

    def convolution(self, x, kernel, bias, stride=(1, 1), pads=(0, 0, 0, 0), groups=1):
        kernel, bias = self.constant(kernel), self.constant(bias)
        return self.step("Conv", x, kernel, bias, strides=stride, pads=pads, group=groups, dilations=(1, 1))

    def normalised(self, x, name, kernel="conv", norm="bn", **how):
        factor, summand = self.weights.normalisation(f"{name}.{norm}")
        kernel = self.weights[f"{name}.{kernel}.weight"] * factor[:, None, None, None]
        return self.convolution(x, kernel, summand, **how)

    def swish(self, x):
        return self.step("Mul", x, self.step("Sigmoid", x))

    def linear(self, x, name, rows=slice(None)):
        weight, bias = self.weights[f"{name}.weight"][rows], self.weights[f"{name}.bias"][rows]
        return self.step("Add", self.step("MatMul", x, self.constant(weight.T)), self.constant(bias))

    def layer_norm(self, x, name, epsilon):
        weight, bias = self.constant(self.weights[f"{name}.weight"]), self.constant(self.weights[f"{name}.bias"])
        return self.step("LayerNormalization", x, weight, bias, axis=-1, epsilon=epsilon)


def prepared(g, x):
    """Blue, green and red from -1 to 1, with exact zeros where the line ended: as the network wants it."""
    every = g.numbers(0, 1, 2, 3)
    zero, one = g.constant(0.0), g.constant(1.0)
    grey = g.step("ReduceMean", x, g.numbers(1), keepdims=1)
    filled = g.step("Equal", grey, zero)
    low = g.step("ReduceMin", g.step("Where", filled, one, grey), every, keepdims=1)
    high = g.step("ReduceMax", g.step("Where", filled, g.constant(-1.0), grey), every, keepdims=1)
    range_ = g.step("Max", g.step("Sub", high, low), g.constant(0.1))
    ink = g.step("Div", g.step("Sub", high, grey), range_)
    # Ink covers less than half of a line; where it does not, the letters are lighter than their ground.
    count = g.step("ReduceSum", g.step("Where", filled, zero, one), every, keepdims=1)
    mean = g.step("Div", g.step("ReduceSum", g.step("Where", filled, zero, ink), every, keepdims=1), count)
    ink = g.step("Where", g.step("Greater", mean, g.constant(0.5)), g.step("Sub", one, ink), ink)
    ink = g.step("Where", filled, zero, ink)
    ink = g.step("Pad", ink, g.numbers(0, 0, 0, BEFORE, 0, 0, 0, AFTER), zero)
    return g.step("Concat", ink, ink, ink, axis=1)


def stem(g, x):
    def part(name, x, **how):
        return g.step("Relu", g.normalised(x, f"backbone.conv1.{name}", **how))

    x = part("stem1", x, stride=(2, 2), pads=(1, 1, 1, 1))
    one = g.step("MaxPool", x, kernel_shape=(2, 2), strides=(1, 1), pads=(0, 0, 1, 1))
    two = part("stem2b", part("stem2a", x, pads=(0, 0, 1, 1)), pads=(0, 0, 1, 1))
    x = part("stem3", g.step("Concat", one, two, axis=1), stride=(2, 2), pads=(1, 1, 1, 1))
    return part("stem4", x)


def block(g, x, name, channels, weighs, halves):
    w, mixer = g.weights, f"{name}.token_mixer"
    if halves:
        x = g.normalised(x, f"{mixer}.dw_conv", stride=(2, 1), pads=(1, 1, 1, 1), groups=channels)
    else:
        inner, summand = w.normalisation(f"{mixer}.rep_dw.conv.bn")
        kernel = w[f"{mixer}.rep_dw.conv.conv.weight"] * inner[:, None, None, None]
        kernel[:, :, 1, 1] += w[f"{mixer}.rep_dw.conv1.weight"][:, :, 0, 0] + 1
        factor, after = w.normalisation(f"{mixer}.rep_dw.bn")
        kernel, summand = kernel * factor[:, None, None, None], summand * factor + after
        x = g.convolution(x, kernel, summand, pads=(1, 1, 1, 1), groups=channels)
    if weighs:
        mean = g.step("GlobalAveragePool", x)
        for number in (1, 2):
            part = f"{mixer}.se.conv{number}"
            mean = g.convolution(mean, w[f"{part}.weight"], w[f"{part}.bias"])
            mean = g.step("Relu", mean) if number == 1 else g.step("HardSigmoid", mean, alpha=1 / 6, beta=0.5)
        x = g.step("Mul", x, mean)
    inner = g.step("Gelu", g.normalised(x, f"{name}.channel_mixer.expand"))
    inner = g.normalised(inner, f"{name}.channel_mixer.compress")
    return inner if halves else g.step("Add", x, inner)


def attention(g, x, name, width):
    def heads(part, order):
        rows = slice(part * width, (part + 1) * width)
        parted = g.step("Reshape", g.linear(x, f"{name}.qkv", rows), g.numbers(-1, HEADS, width // HEADS))
        return g.step("Transpose", parted, perm=order)

    query, key, value = heads(0, (1, 0, 2)), heads(1, (1, 2, 0)), heads(2, (1, 0, 2))
    scale = g.constant(1 / math.sqrt(width // HEADS))
    shares = g.step("Softmax", g.step("Mul", g.step("MatMul", query, key), scale), axis=-1)
    seen = g.step("Transpose", g.step("MatMul", shares, value), perm=(1, 0, 2))
    return g.linear(g.step("Reshape", seen, g.numbers(-1, width)), f"{name}.proj")


def network(g, x):
    x = stem(g, prepared(g, x))
    for stage, blocks in BLOCKS.items():
        for index, how in enumerate(blocks):
            x = block(g, x, f"backbone.{stage}.{index}", *how)
    x = g.step("AveragePool", x, kernel_shape=(HEIGHT // 16, 2), strides=(HEIGHT // 16, 2), pads=(0, 0, 0, 0))
    skip, z = (g.swish(g.normalised(x, f"neck.{name}", norm="norm")) for name in ("skip_conv", "conv_reduce"))
    width = g.weights["neck.norm.weight"].shape[0]
    factor, summand = g.weights.normalisation("neck.local_conv.1")
    kernel = g.weights["neck.local_conv.0.weight"] * factor[:, None, None, None]
    z = g.step("Add", z, g.swish(g.convolution(z, kernel, summand, pads=(0, 3, 0, 3), groups=width)))
    sequence = lambda x: g.step("Transpose", g.step("Reshape", x, g.numbers(width, -1)), perm=(1, 0))
    z = sequence(z)
    for index in range(2):
        part = f"neck.svtr_block.{index}"
        z = g.step("Add", z, attention(g, g.layer_norm(z, f"{part}.norm1", 1e-5), f"{part}.mixer", width))
        inner = g.swish(g.linear(g.layer_norm(z, f"{part}.norm2", 1e-5), f"{part}.mlp.fc1"))
        z = g.step("Add", z, g.linear(inner, f"{part}.mlp.fc2"))
    return g.step("Add", g.layer_norm(z, "neck.norm", 1e-6), sequence(skip))


def main(wheel, folder):
    data = zipfile.ZipFile(wheel).read(WEIGHTS)
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{wheel}: {WEIGHTS} is not the file that this was written for; take parisaocr 0.7.2")
    weights = Weights(data)
    characters = {classes[0]: character for character, classes in weights.meta["codec"].items()}
    # Fingertip wants the space last, and nothing of it in the dictionary.
    space = next(number for number, character in characters.items() if character == " ")
    order = [number for number in range(weights.meta["num_classes"]) if number != space] + [space]
    g = Graph(weights)
    z = g.linear(network(g, "line"), "head.fc", order)
    # What was read of the blank before the line belongs to nothing.
    z = g.step("Slice", g.step("Softmax", z, axis=-1), g.numbers(BEFORE // 8), g.numbers(-AFTER // 8), g.numbers(0))
    z = g.step("Unsqueeze", z, g.numbers(0))
    line = helper.make_tensor_value_info("line", TensorProto.FLOAT, [1, 3, HEIGHT, "width"])
    read = helper.make_tensor_value_info(z, TensorProto.FLOAT, [1, "steps", len(order)])
    graph = helper.make_graph(g.nodes, "persian", [line], [read], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model)
    folder = pathlib.Path(folder)
    onnx.save(model, folder / "persian.onnx")
    lines = [STAND_IN.get(characters[number], characters[number]) for number in order[1:-1]]
    (folder / "persian.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
