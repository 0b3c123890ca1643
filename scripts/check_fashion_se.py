#!/usr/bin/python3
"""Evaluates an exported network from its ONNX graph alone, in float and in simulated int8.

Prints a table of the nodes (output shape, multiply-accumulates), the totals, float top-1 and
int8 top-1 on the test images. Int8 here is a quick forecast, not the project's numerics: batch
norms folded, weights symmetric by output channel, every tensor between layers symmetric over its
minimum and maximum on the first training images.
"""

import argparse
import collections

import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional as F

from train_fashion_se import DEFAULT_DATA, as_tensors, load

CALIBRATION_IMAGES = 512
BATCH = 500


def window(attributes):
    """Returns (padding, stride) of a convolution or pool; pads must be equal at both ends."""
    pads = attributes.get("pads", [0, 0, 0, 0])
    if pads[:2] != pads[2:] or attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise ValueError(f"uneven padding {pads}")
    return pads[:2], attributes.get("strides", [1, 1])


def run_conv(a, x, weight, bias=None):
    padding, stride = window(a)
    return F.conv2d(x, weight, bias, stride, padding, a.get("dilations", 1), a.get("group", 1))


def run_batch_norm(a, x, scale, bias, mean, variance):
    return F.batch_norm(x, mean, variance, scale, bias, eps=a.get("epsilon", 1e-5))


def run_max_pool(a, x):
    padding, stride = window(a)
    return F.max_pool2d(x, a["kernel_shape"], stride, padding)


def run_average_pool(a, x):
    padding, stride = window(a)
    counted = bool(a.get("count_include_pad", 0))
    return F.avg_pool2d(x, a["kernel_shape"], stride, padding, count_include_pad=counted)


def run_gemm(a, x, weight, bias):
    if (a.get("alpha", 1.0), a.get("beta", 1.0), a.get("transB", 0)) != (1.0, 1.0, 1):
        raise ValueError("Gemm with alpha, beta or without transB")
    return F.linear(x, weight, bias)


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "AveragePool": run_average_pool,
    "BatchNormalization": run_batch_norm,
    "Conv": run_conv,
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gemm": run_gemm,
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "MaxPool": run_max_pool,
    "Mul": lambda a, x, y: x * y,
    "Relu": lambda a, x: x.relu(),
    "Sigmoid": lambda a, x: x.sigmoid(),
}

Node = collections.namedtuple("Node", "kind attributes inputs output")


def read(path):
    """Checks the file; returns its nodes, constants by name, input name and output name."""
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    graph = model.graph
    nodes = [
        Node(
            n.op_type,
            {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute},
            list(n.input),
            n.output[0],
        )
        for n in graph.node
    ]
    constants = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
    return nodes, constants, graph.input[0].name, graph.output[0].name


def evaluate(nodes, constants, values, after=lambda node, value: value):
    """Runs the nodes in order; `values` holds the inputs and receives every output."""
    for node in nodes:
        inputs = [values[n] if n in values else constants[n] for n in node.inputs]
        values[node.output] = after(node, OPERATORS[node.kind](node.attributes, *inputs))
    return values


def multiply_accumulates(node, constants, value):
    if node.kind not in ("Conv", "Gemm"):
        return 0
    pixels = value[0, 0].numel() if node.kind == "Conv" else 1
    return constants[node.inputs[1]].numel() * pixels


def print_table(nodes, constants, input_name, shape):
    values = evaluate(nodes, constants, {input_name: torch.zeros(shape)})
    total = 0
    for node in nodes:
        macs = multiply_accumulates(node, constants, values[node.output])
        total += macs
        weight = list(constants[node.inputs[1]].shape) if macs else ""
        print(f"{node.kind:20}{str(list(values[node.output].shape)):20}{str(weight):18}{macs or '':>9}")
    counts = collections.Counter(n.kind for n in nodes)
    print("operators:", ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    print(f"multiply-accumulates: {total}")


def fold_batch_norms(nodes, constants):
    """Returns nodes and constants in which each Conv took over the batch norm behind it."""
    constants, folded = dict(constants), []
    for node in nodes:
        if node.kind != "BatchNormalization":
            folded.append(node)
            continue
        conv = folded.pop()
        if conv.output != node.inputs[0] or len(conv.inputs) != 2:
            raise ValueError(f"{node.output}: batch norm is not behind a Conv without bias")
        scale, bias, mean, variance = (constants[n] for n in node.inputs[1:])
        factor = scale / (variance + node.attributes.get("epsilon", 1e-5)).sqrt()
        weight = conv.inputs[1]
        constants[weight] = constants[weight] * factor[:, None, None, None]
        constants[node.output + ".bias"] = bias - mean * factor
        inputs = conv.inputs + [node.output + ".bias"]
        folded.append(Node("Conv", conv.attributes, inputs, node.output))
    return folded, constants


def to_int8_grid(value, peak):
    scale = peak / 127
    return (value / scale).round().clamp(-128, 127) * scale


def simulate_int8(nodes, constants, input_name, calibration):
    """Returns (folded nodes, rounded constants, function that rounds a node's output)."""
    nodes, constants = fold_batch_norms(nodes, constants)
    for node in nodes:
        if node.kind in ("Conv", "Gemm"):
            weight = constants[node.inputs[1]]
            peak = weight.flatten(1).abs().amax(1).clamp(min=1e-9)
            constants[node.inputs[1]] = to_int8_grid(weight, peak.view(-1, *[1] * (weight.dim() - 1)))
    values = evaluate(nodes, constants, {input_name: calibration})
    peaks = {name: value.abs().max() for name, value in values.items()}
    # A Relu that alone reads a layer's output is fused into it: only the Relu's output is rounded.
    readers = collections.Counter(name for node in nodes for name in node.inputs)
    fused = {n.inputs[0] for n in nodes if n.kind == "Relu" and readers[n.inputs[0]] == 1}

    def after(node, value):
        return value if node.output in fused else to_int8_grid(value, peaks[node.output])

    return nodes, constants, after


def top1(logits_of, images, labels):
    guesses = torch.cat([logits_of(part).argmax(1) for part in images.split(BATCH)])
    return 100.0 * (guesses == labels).double().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="models/zoo/fashion_se.onnx")
    parser.add_argument("--data", default=DEFAULT_DATA, help="folder with the four IDX files")
    args = parser.parse_args()
    torch.set_num_threads(2)

    nodes, constants, source, target = read(args.model)
    print_table(nodes, constants, source, (1, 1, 28, 28))
    calibration = as_tensors(*load(args.data, "train"))[0][:CALIBRATION_IMAGES]
    images, labels = as_tensors(*load(args.data, "t10k"))
    with torch.no_grad():
        value = top1(lambda x: evaluate(nodes, constants, {source: x})[target], images, labels)
        print(f"float top-1 of the graph: {value:.2f} %")
        nodes, constants, after = simulate_int8(nodes, constants, source, calibration)

        def int8_logits(x):
            return evaluate(nodes, constants, {source: to_int8_grid(x, 1.0)}, after)[target]

        print(f"simulated int8 top-1: {top1(int8_logits, images, labels):.2f} %")


if __name__ == "__main__":
    main()
