#!/usr/bin/python3
"""Trains the demo network `fashion_se` on Fashion-MNIST and exports it to ONNX (opset 13).

Needs Debian's python3-torch, python3-onnx and dataset-fashion-mnist. Writes into --out:
  fashion_se.onnx          image [1,1,28,28] float in [0,1] -> logits [1,10]
  fashion_se_images.npy    the first 64 test images, uint8 [64,1,28,28]
  fashion_se_labels.npy    their labels, uint8 [64]

Batch norms stay in the file as nodes of their own: folding them is the compiler's work.
"""

import argparse
import collections
import gzip
import math
import pathlib
import struct
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

DEFAULT_DATA = "/usr/share/datasets/fashion-mnist"
EMBEDDED_IMAGES = 64
IMAGE_SIZE = 28
MAX_SHIFT = 2  # pixels, each axis, training only


def chain(**modules):
    """A sequence of named modules: the names become the tensor names in the ONNX file."""
    return nn.Sequential(collections.OrderedDict(modules))


def conv_bn(inputs, outputs, kernel, stride=1, groups=1):
    """Convolution without bias, then batch norm."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return chain(conv=conv, norm=nn.BatchNorm2d(outputs))


class SqueezeExcite(nn.Module):
    """x * sigmoid(conv(relu(conv(mean of x)))): one factor in (0, 1) for each channel."""

    def __init__(self, channels, squeezed):
        super().__init__()
        self.gate = chain(
            mean=nn.AdaptiveAvgPool2d(1),
            squeeze=nn.Conv2d(channels, squeezed, 1),
            relu=nn.ReLU(),
            excite=nn.Conv2d(squeezed, channels, 1),
            sigmoid=nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.gate(x)


class BasicBlock(nn.Module):
    """Two 3x3 convolutions, squeeze-excite, shortcut; ReLU after the sum."""

    def __init__(self, channels, squeezed):
        super().__init__()
        self.body = chain(
            first=conv_bn(channels, channels, 3),
            relu=nn.ReLU(),
            second=conv_bn(channels, channels, 3),
            se=SqueezeExcite(channels, squeezed),
        )

    def forward(self, x):
        return F.relu(x + self.body(x))


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise 3x3, squeeze-excite, project 1x1, linear sum with the shortcut.

    At stride 2 the shortcut is a 2x2 average pool and a 1x1 convolution.
    """

    def __init__(self, inputs, expanded, outputs, stride, squeezed):
        super().__init__()
        self.body = chain(
            expand=conv_bn(inputs, expanded, 1),
            expand_relu=nn.ReLU(),
            depthwise=conv_bn(expanded, expanded, 3, stride, groups=expanded),
            depthwise_relu=nn.ReLU(),
            se=SqueezeExcite(expanded, squeezed),
            project=conv_bn(expanded, outputs, 1),
        )
        if stride == 1:
            self.shortcut = nn.Identity()
        else:
            # count_include_pad=False keeps the exporter from writing a Pad by zero pixels.
            self.shortcut = chain(
                pool=nn.AvgPool2d(stride, count_include_pad=False),
                conv=nn.Conv2d(inputs, outputs, 1, bias=False),
            )

    def forward(self, x):
        return self.shortcut(x) + self.body(x)


def fashion_se():
    """About 2.5 million multiply-accumulates an image and 54 thousand parameters."""
    return chain(
        stem=conv_bn(1, 16, 3),
        stem_relu=nn.ReLU(),
        stem_pool=nn.MaxPool2d(2),
        block1=BasicBlock(16, squeezed=8),
        block2=InvertedResidual(16, 64, 32, stride=2, squeezed=16),
        block3=InvertedResidual(32, 128, 32, stride=1, squeezed=32),
        block4=InvertedResidual(32, 128, 32, stride=1, squeezed=32),
        head=conv_bn(32, 128, 1),
        head_relu=nn.ReLU(),
        mean=nn.AdaptiveAvgPool2d(1),
        flatten=nn.Flatten(),
        classifier=nn.Linear(128, 10),
    )


def read_idx(path):
    """Reads a gzipped IDX file of unsigned bytes."""
    with gzip.open(path, "rb") as file:
        data = file.read()
    zero, kind, rank = struct.unpack(">HBB", data[:4])
    if zero != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, prefix):
    """Returns images, uint8 [N,1,28,28], and labels, uint8 [N]; prefix is train or t10k."""
    folder = pathlib.Path(folder)
    images = read_idx(folder / f"{prefix}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{prefix}-labels-idx1-ubyte.gz")
    return images[:, None], labels


def as_tensors(images, labels):
    """Returns images as float in [0,1] and labels as int64."""
    return torch.from_numpy(images / np.float32(255)), torch.from_numpy(labels.astype(np.int64))


def augment(images):
    """Shifts each image by up to MAX_SHIFT pixels (zeros come in) and mirrors half of them."""
    count = images.shape[0]
    padded = F.pad(images, [MAX_SHIFT] * 4)
    offsets = torch.randint(0, 2 * MAX_SHIFT + 1, (2, count, 1))
    rows = offsets[0] + torch.arange(IMAGE_SIZE)
    columns = offsets[1] + torch.arange(IMAGE_SIZE)
    mirrored = torch.rand(count, 1) < 0.5
    columns = torch.where(mirrored, columns.flip(1), columns)
    batch = torch.arange(count)[:, None, None]
    return padded[batch, 0, rows[:, :, None], columns[:, None, :]][:, None]


def optimiser_for(model, learning_rate, weight_decay):
    """SGD that decays the weights of convolutions and Gemm only, not biases or batch norms."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": others}]
    return torch.optim.SGD(groups, lr=learning_rate, momentum=0.9, nesterov=True)


def learning_rate_at(progress, peak, warm_up=0.15):
    """Linear warm-up, then a cosine to zero; progress runs from 0 to 1."""
    if progress < warm_up:
        return peak * (0.1 + 0.9 * progress / warm_up)
    return peak * 0.5 * (1 + math.cos(math.pi * (progress - warm_up) / (1 - warm_up)))


def train(model, images, labels, args):
    """Trains in place. images: float [N,1,28,28] in [0,1]; labels: int64 [N]."""
    optimiser = optimiser_for(model, args.learning_rate, args.weight_decay)
    steps = images.shape[0] // args.batch
    for epoch in range(args.epochs):
        start, total = time.monotonic(), 0.0
        model.train()
        order = torch.randperm(images.shape[0])
        for step in range(steps):
            progress = (epoch * steps + step) / (args.epochs * steps)
            for group in optimiser.param_groups:
                group["lr"] = learning_rate_at(progress, args.learning_rate)
            chosen = order[step * args.batch : (step + 1) * args.batch]
            batch = augment(images[chosen]).contiguous(memory_format=torch.channels_last)
            loss = F.cross_entropy(model(batch), labels[chosen], label_smoothing=0.05)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.item()
        seconds = time.monotonic() - start
        print(f"epoch {epoch + 1}/{args.epochs} loss {total / steps:.4f} {seconds:.0f} s", flush=True)


def top1(model, images, labels):
    """Returns the share of images whose greatest logit is the label, in percent."""
    model.eval()
    with torch.no_grad():
        guesses = torch.cat([model(part).argmax(1) for part in images.split(500)])
    return 100.0 * (guesses == labels).double().mean().item()


def export(model, path):
    """Writes the network at batch 1; PRESERVE with eval() keeps batch norms as nodes."""
    model = model.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        model, torch.zeros(1, 1, IMAGE_SIZE, IMAGE_SIZE), str(path),
        input_names=["image"], output_names=["logits"], opset_version=13,
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=0.1, help="at the peak")
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=2, help="results depend on it")
    parser.add_argument("--data", default=DEFAULT_DATA, help="folder with the four IDX files")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("models/zoo"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    torch.use_deterministic_algorithms(True)
    train_images, train_labels = load(args.data, "train")
    test_images, test_labels = load(args.data, "t10k")

    model = fashion_se().to(memory_format=torch.channels_last)
    start = time.monotonic()
    train(model, *as_tensors(train_images, train_labels), args)
    seconds = time.monotonic() - start
    accuracy = top1(model, *as_tensors(test_images, test_labels))

    args.out.mkdir(parents=True, exist_ok=True)
    export(model, args.out / "fashion_se.onnx")
    np.save(args.out / "fashion_se_images.npy", test_images[:EMBEDDED_IMAGES])
    np.save(args.out / "fashion_se_labels.npy", test_labels[:EMBEDDED_IMAGES])
    parameters = sum(p.numel() for p in model.parameters())
    print(f"seed {args.seed}, {args.epochs} epochs in {seconds:.0f} s, {parameters} parameters")
    print(f"top-1 on {len(test_labels)} test images: {accuracy:.2f} %")


if __name__ == "__main__":
    main()
