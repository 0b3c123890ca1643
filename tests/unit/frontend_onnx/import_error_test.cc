// What users and files get wrong, and the one line that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/unit/frontend_onnx/model_builder.h"

namespace bw::frontend {
namespace {

using testing::HasSubstr;

// y = relu(x), sound.
ModelBuilder Sound() {
  ModelBuilder m(13);
  m.Input("x", {1, 4});
  m.Node("Relu", {"x"}, "y");
  m.Output("y");
  return m;
}

std::string FileProblems(const std::string& path) {
  const auto imported = ImportOnnx(path);
  return imported.ok() ? "" : ToString(imported.errors());
}

std::string ByteProblems(std::string_view bytes) {
  const auto imported = ImportOnnxBytes(bytes, "m.onnx");
  return imported.ok() ? "" : ToString(imported.errors());
}

TEST(ImportFile, MissingFilesAndDirectories) {
  EXPECT_EQ(FileProblems("/nowhere/a.onnx"),
            "/nowhere/a.onnx: cannot be opened: No such file or directory (give the path of an "
            ".onnx file)\n");
  EXPECT_EQ(FileProblems("/tmp"), "/tmp: is a directory (give the path of an .onnx file)\n");
}

TEST(ImportFile, EmptyAndForeignBytes) {
  EXPECT_EQ(ByteProblems(""), "m.onnx: is empty (an ONNX model was expected)\n");
  EXPECT_EQ(ByteProblems("plain text, no model"),
            "m.onnx: is not an ONNX model, or is truncated\n");
}

TEST(ImportFile, EveryTruncationIsAnErrorOrTheWholeModel) {
  const std::string bytes = Sound().Bytes();
  int refused = 0;
  for (size_t n = 0; n < bytes.size(); ++n) refused += ByteProblems(bytes.substr(0, n)) != "";
  EXPECT_EQ(refused, static_cast<int>(bytes.size()));
}

TEST(ImportFile, RandomAndDamagedBytesNeverCrash) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(0, 255);
  ModelBuilder m = Sound();
  m.Floats("w", {2, 2}, {1, 2, 3, 4});
  Set(m.Node("Reshape", {"y"}, "z"), "shape", Ints{4});
  const std::string sound = m.Bytes();
  int ran = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = sound;
    for (int flips = 1 + i % 4; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(byte(random));
    }
    (void)ByteProblems(bytes);
    ++ran;
  }
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(byte(random));
    (void)ByteProblems(bytes);
    ++ran;
  }
  EXPECT_EQ(ran, 22000);
}

TEST(ImportModel, OpsetMustBeSupported) {
  ModelBuilder m = Sound();
  m.model.mutable_opset_import(0)->set_version(18);
  EXPECT_EQ(m.Problems(),
            "m.onnx: uses operator set 18; supported are 1 to 17 (export the network again, for "
            "instance with opset_version=13)\n");
  m.model.clear_opset_import();
  EXPECT_THAT(m.Problems(), HasSubstr("does not say which version"));
}

TEST(ImportModel, OtherDomainsMayBeListedButNotUsed) {
  ModelBuilder m = Sound();
  onnx::OperatorSetIdProto* other = m.model.add_opset_import();
  other->set_domain("com.microsoft");
  other->set_version(1);
  EXPECT_EQ(m.Problems(), "");
  m.graph->mutable_node(0)->set_domain("com.microsoft");
  EXPECT_EQ(m.Problems(),
            "m.onnx: Relu y: operator Relu of domain com.microsoft is not supported ('bitwright "
            "describe ops' lists the operators)\n");
}

TEST(ImportModel, EveryUnknownOperatorIsListedOnce) {
  ModelBuilder m = Sound();
  m.Node("LSTM", {"y"}, "a");
  m.Node("Erf", {"a"}, "b");
  m.Node("LSTM", {"b"}, "c");
  EXPECT_EQ(m.Problems(),
            "m.onnx: Erf b: operator Erf is not supported ('bitwright describe ops' lists the "
            "operators)\n"
            "m.onnx: LSTM a: operator LSTM is not supported (in 2 nodes) ('bitwright describe ops' "
            "lists the operators)\n");
}

TEST(ImportInputs, OpenExtentsMustBeBound) {
  ModelBuilder m(13);
  m.Input("x", {-2, 3, -1, 8});
  m.Node("Relu", {"x"}, "y");
  m.Output("y");
  EXPECT_EQ(
      m.Problems(),
      "m.onnx: input x: the file leaves extents open: axis 0 ('N2'), 2 of N2x3x?x8 (give them "
      "all, for instance --shape x=1x3x64x8)\n");
  EXPECT_EQ(m.Problems({{{"x", {4, 3, 6, 8}}}, {}}), "");
  EXPECT_EQ(m.Problems({{{"", {4, 3, 6, 8}}}, {}}), "");
}

TEST(ImportInputs, BatchAloneMustBeBoundToo) {
  ModelBuilder m(13);
  m.Input("x", {-1, 4});
  m.Node("Relu", {"x"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("for instance --shape x=1x4"));
}

TEST(ImportInputs, BindingsMustFit) {
  ModelBuilder m(13);
  m.Input("x", {-2, 3});
  m.Input("z", {-2, 3});
  m.Node("Add", {"x", "z"}, "y");
  m.Output("y");
  EXPECT_EQ(m.Problems({{{"x", {5, 3}}}, {}}), "");  // N2 is 5 for z too
  EXPECT_EQ(m.Problems({{{"x", {5, 4}}}, {}}),
            "m.onnx: input x: shape 5x4 does not fit the declared N2x3: axis 1 is fixed at 3\n");
  EXPECT_THAT(m.Problems({{{"x", {5}}}, {}}),
              HasSubstr("x: shape 5 does not fit the declared N2x3: 1 extents instead of 2"));
  EXPECT_EQ(m.Problems({{{"x", {5, 3}}, {"z", {6, 3}}}, {}}),
            "m.onnx: input z: shape 6x3 does not fit the declared N2x3: N2 is 5 elsewhere\n");
  EXPECT_EQ(m.Problems({{{"", {5, 3}}}, {}}),
            "m.onnx: --shape: the network has 2 inputs; say which (its inputs: x, z)\n");
  EXPECT_EQ(m.Problems({{{"q", {5, 3}}}, {}}),
            "m.onnx: --shape: the network has no input q (its inputs: x, z)\n");
}

TEST(ImportInputs, TypesMustBeFloat32) {
  ModelBuilder m = Sound();
  m.graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::FLOAT16);
  EXPECT_EQ(m.Problems(),
            "m.onnx: input x: has type FLOAT16; activations must be FLOAT (float32), or UINT8, "
            "INT8 or INT32\n");
}

TEST(ImportInputs, HugeExtentsAreRefused) {
  ModelBuilder m(13);
  m.Input("x", {1 << 20, 1 << 20});
  m.Node("Relu", {"x"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("input x: shape 1048576x1048576 has too many elements"));
}

TEST(ImportInitializers, SizesMustFitTheShape) {
  ModelBuilder m = Sound();
  m.Floats("w", {2, 3}, {1, 2, 3, 4, 5});
  EXPECT_EQ(m.Problems(), "m.onnx: initializer w: holds 5 values; shape 2x3 needs 6\n");
  m = Sound();
  m.Floats("w", {2, 3}, {})->set_raw_data("1234567");
  EXPECT_EQ(m.Problems(), "m.onnx: initializer w: holds 7 bytes; shape 2x3 of float32 needs 24\n");
  m = Sound();
  m.Floats("w", {int64_t{1} << 62, 8}, {1});
  EXPECT_THAT(m.Problems(), HasSubstr("initializer w: shape 4611686018427387904x8 has a negative"));
  m = Sound();
  m.Floats("w", {-4}, {1});
  EXPECT_THAT(m.Problems(), HasSubstr("initializer w: shape -4 has a negative"));
}

TEST(ImportInitializers, ExternalDataAndStringsAreRefused) {
  ModelBuilder m = Sound();
  m.Floats("w", {1}, {1})->set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(
      m.Problems(),
      "m.onnx: initializer w: keeps its data in another file (save the model with all data in "
      "one file (save_as_external_data=False))\n");
  m = Sound();
  m.Floats("w", {1}, {1})->set_data_type(onnx::TensorProto::STRING);
  EXPECT_EQ(m.Problems(), "m.onnx: initializer w: element type STRING is not supported\n");
}

TEST(ImportNodes, OperandsMustExistAndResultsBeNew) {
  ModelBuilder m = Sound();
  m.Node("Relu", {"ghost"}, "z");
  EXPECT_EQ(m.Problems(),
            "m.onnx: Relu z: reads ghost, which no input, initializer or earlier node makes\n");
  m = Sound();
  m.Node("Relu", {"x"}, "y");
  EXPECT_THAT(m.Problems(), HasSubstr("makes y, which exists already"));
  m = Sound();
  m.Output("ghost");
  EXPECT_EQ(m.Problems(), "m.onnx: output ghost: nothing makes it\n");
}

TEST(ImportNodes, AttributesMustBeKnownAndTyped) {
  ModelBuilder m = Sound();
  Set(m.graph->mutable_node(0), "slope", 0.1f);
  EXPECT_EQ(m.Problems(), "m.onnx: Relu y: attribute slope is not known in operator set 13\n");
  m = Sound();
  Set(m.Node("LeakyRelu", {"y"}, "z"), "alpha", int64_t{1});
  EXPECT_EQ(m.Problems(), "m.onnx: LeakyRelu z: attribute alpha must be a float\n");
}

TEST(ImportNodes, UnsupportedValuesAreNamed) {
  ModelBuilder m = Sound();
  m.List("pads", {0, 1, 0, 1});
  Set(m.Node("Pad", {"y", "pads"}, "z"), "mode", std::string("reflect"));
  EXPECT_EQ(m.Problems(), "m.onnx: Pad z: mode reflect is not supported (mode must be constant)\n");
  m = Sound();
  m.Node("Reshape", {"x", "y"}, "z");
  EXPECT_EQ(
      m.Problems(),
      "m.onnx: Reshape z: shape (y) must be constant (it may depend on input shapes, never on "
      "input values)\n");
  m = Sound();
  Set(m.Node("Cast", {"y"}, "z"), "to", int64_t{7});
  EXPECT_THAT(m.Problems(), HasSubstr("makes int64 values from activations"));
  m = Sound();
  m.List("index", {0});
  m.Node("Gather", {"y", "index"}, "z");
  EXPECT_EQ(m.Problems(), "m.onnx: Gather z: is supported on constants alone\n");
}

TEST(ImportNodes, SpatialParametersAreChecked) {
  const auto conv = [](const std::string& attribute, const Ints& values, const Ints& input) {
    ModelBuilder m(13);
    m.Input("x", input);
    m.Floats("w", {1, 1, 3, 3}, std::vector<float>(9));
    onnx::NodeProto* node = m.Node("Conv", {"x", "w"}, "y");
    if (!attribute.empty()) Set(node, attribute, values);
    m.Output("y");
    return m.Problems();
  };
  EXPECT_THAT(conv("strides", {0, 1}, {1, 1, 4, 4}), HasSubstr("strides has the number 0"));
  EXPECT_THAT(conv("pads", {1, 1}, {1, 1, 4, 4}), HasSubstr("pads has 2 numbers, must have 4"));
  EXPECT_THAT(conv("kernel_shape", {5, 5}, {1, 1, 4, 4}), HasSubstr("kernel_shape differs"));
  EXPECT_THAT(conv("dilations", {int64_t{1} << 40, 1}, {1, 1, 4, 4}), HasSubstr("dilations has"));
  EXPECT_THAT(conv("", {}, {1, 1, 2, 2}), HasSubstr("no window fits"));
  EXPECT_THAT(conv("", {}, {1, 1, 4, 4, 4}), HasSubstr("of rank 5; supported are 3 (1-D) and 4"));
}

TEST(ImportNodes, ExtremeNumbersAreRefusedOrClamped) {
  ModelBuilder m = Sound();
  m.List("s", {INT64_MIN, INT64_MAX});
  m.Node("Reshape", {"y", "s"}, "z");
  EXPECT_THAT(m.Problems(), HasSubstr("extent 0 of the new shape is -9223372036854775808"));
  m = Sound();
  m.List("pads", {INT64_MIN, 0, 0, INT64_MAX});
  m.Node("Pad", {"y", "pads"}, "z");
  EXPECT_THAT(m.Problems(), HasSubstr("are too large"));
  m = Sound();
  m.List("axes", {INT64_MIN});
  m.Node("Squeeze", {"y", "axes"}, "z");
  EXPECT_THAT(m.Problems(), HasSubstr("axis -9223372036854775808 is out of range"));
  m = Sound();
  m.List("starts", {INT64_MAX});
  m.List("steps", {INT64_MIN});
  m.Node("Slice", {"y", "starts", "starts", "", "steps"}, "z");
  EXPECT_THAT(m.Problems(), HasSubstr("step -9223372036854775808 on axis 0 is not supported"));
}

TEST(ImportNodes, TooManyOperands) {
  ModelBuilder m = Sound();
  m.Node("Relu", {"y", "y"}, "z");
  EXPECT_EQ(m.Problems(), "m.onnx: Relu z: 2 inputs; allowed are 1 to 1\n");
  m = Sound();
  m.Node("Relu", {""}, "z");
  EXPECT_EQ(m.Problems(), "m.onnx: Relu z: 0 inputs; allowed are 1 to 1\n");
}

TEST(ParseBinding, ReadsNamesAndExtents) {
  EXPECT_EQ(ParseBinding("1x3x48x192", "--shape").value(),
            std::make_pair(std::string(), Ints{1, 3, 48, 192}));
  EXPECT_EQ(ParseBinding("in=x=7", "--shape").value(),
            std::make_pair(std::string("in=x"), Ints{7}));
}

TEST(ParseBinding, RefusesWhatIsNoShape) {
  for (const char* text : {"", "x=", "1x", "1x-3", "1x0", "1xx3", "1x3.5", "99999999999"}) {
    EXPECT_FALSE(ParseBinding(text, "--shape").ok()) << text;
  }
  EXPECT_EQ(
      ToString(ParseBinding("x=1x3a", "--shape").errors()),
      "--shape: '3a' in 'x=1x3a' is not an extent from 1 to 2147483647 (write 1x3x224x224, or "
      "name=1x3x224x224)\n");
}

}  // namespace
}  // namespace bw::frontend
