// .npy files: reading, every refusal word for word, and writing whole files.
#include "runtime/npy.h"
#include "runtime/npy_header.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace mmk;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

class Npy : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mmk-npy", name));
    folder_ = name.str().str();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name = "a.npy") const { return folder_ + "/" + name; }

  void write(const std::string &bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), bytes.size());
  }

  /// A file with this dictionary, followed by `payload`.
  void writeFile(const std::string &dictionary, const std::string &payload, char major = 1) const {
    std::string bytes = "\x93NUMPY"s + major + '\0';
    bytes += static_cast<char>(dictionary.size() & 0xFF);
    bytes += static_cast<char>(dictionary.size() >> 8);
    if (major > 1)
      bytes += "\0\0"s;
    write(bytes + dictionary + payload);
  }

  /// The message without the folder in front, which differs from run to run.
  std::string refusal(ElementType expected = ElementType::f32) const {
    llvm::Expected<Tensor> tensor = readNpy(path(), expected);
    if (tensor)
      return "";
    const std::string message = llvm::toString(tensor.takeError());
    EXPECT_EQ(message.rfind(folder_ + "/a.npy: ", 0), 0u) << message;
    return message.substr(path().size() + 2);
  }

  std::string refusalOf(const std::string &descr, ElementType expected = ElementType::f32) const {
    writeFile("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }",
              std::string(16, '\0'));
    return refusal(expected);
  }

  std::string refusalOfHeader(const std::string &dictionary) const {
    writeFile(dictionary, "");
    return refusal();
  }

  std::string folder_;
};

const std::string twoFloats("\0\0\x80\x3F\0\0\0\xC0", 8); // 1 and -2

} // namespace

TEST_F(Npy, ReadsAllVersions) {
  for (char major : {1, 2, 3}) {
    writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", twoFloats, major);
    const Tensor tensor = llvm::cantFail(readNpy(path(), ElementType::f32));
    EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(tensor[0], 1);
    EXPECT_EQ(tensor[1], -2);
  }
}

TEST_F(Npy, ReadsOtherLayoutsOfTheHeader) {
  for (const char *dictionary : {"{\"shape\":(2),\"fortran_order\":False,\"descr\":\"<f4\"}",
                                 "{ 'descr' : '<f4' , 'fortran_order' : False,'shape':( 2 ,) } \n",
                                 // One dimension is the same in both orders.
                                 "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }"}) {
    writeFile(dictionary, twoFloats);
    EXPECT_EQ(refusal(), "") << dictionary;
  }
}

TEST_F(Npy, RoundTripsEveryTypeAndShape) {
  const std::vector<std::vector<int64_t>> shapes = {{}, {3}, {2, 3}, {2, 0}, {1, 2, 3, 4}};
  for (ElementType type :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32})
    for (const std::vector<int64_t> &shape : shapes) {
      Tensor tensor = llvm::cantFail(Tensor::allocate(type, shape));
      for (int64_t i = 0; i < tensor.elements(); ++i)
        tensor.set(i, static_cast<double>(i) - 5);
      ASSERT_FALSE(writeNpy(tensor, path()));
      const Tensor read = llvm::cantFail(readNpy(path(), type));
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(memcmp(read.data(), tensor.data(), tensor.bytes()), 0);
    }
}

TEST_F(Npy, WritesWhatNumPyWrites) {
  const std::string header = writeNpyHeader(ElementType::f16, {2048, 64});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(0, 8), "\x93NUMPY\x01\0"s);
  EXPECT_EQ(header.substr(10, 66),
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2048, 64), }   ");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(writeNpyHeader(ElementType::f32, {7}).find("'shape': (7,), }"), std::string::npos);
  EXPECT_NE(writeNpyHeader(ElementType::f32, {}).find("'shape': (), }"), std::string::npos);
}

TEST_F(Npy, RefusesOtherTypes) {
  EXPECT_EQ(refusalOf("<f8"),
            "expected f32 ('<f4'), found '<f8'; convert it with array.astype(np.float32)");
  EXPECT_EQ(refusalOf("<f4", ElementType::f16),
            "expected f16 ('<f2'), found '<f4'; convert it with array.astype(np.float16)");
  EXPECT_EQ(refusalOf(">f4"), "big-endian elements '>f4' are not supported; convert it with "
                              "array.astype(np.float32)");
  EXPECT_EQ(refusalOf("|O"), "Python objects '|O' are not supported, expected f32; convert it with "
                             "array.astype(np.float32)");
  EXPECT_EQ(refusalOf("<i8", ElementType::i32),
            "expected i32 ('<i4'), found '<i8'; convert it with array.astype(np.int32)");
  EXPECT_EQ(refusalOf("|u1", ElementType::i8),
            "expected i8 ('|i1'), found '|u1'; convert it with array.astype(np.int8)");
  // The bits of bf16 are read as such only where bf16 is expected.
  EXPECT_EQ(refusalOf("<u2", ElementType::f16),
            "expected f16 ('<f2'), found '<u2'; convert it with array.astype(np.float16)");
  EXPECT_EQ(refusalOf("<V2", ElementType::bf16),
            "expected bf16 ('<u2'), found '<V2'; convert it with "
            "array.astype(ml_dtypes.bfloat16).view(np.uint16)");
  EXPECT_EQ(refusalOf("<i1", ElementType::i8), "bytes behind the 1 bytes of elements of i8[1]");
}

TEST_F(Npy, RefusesOtherOrders) {
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", twoFloats + twoFloats);
  EXPECT_EQ(refusal(), "in Fortran order, expected C order; save np.ascontiguousarray(array)");
}

TEST_F(Npy, RefusesWrongLengths) {
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  writeFile(dictionary, twoFloats.substr(0, 7));
  EXPECT_EQ(refusal(), "truncated: expected 8 bytes of elements, found 7");
  writeFile(dictionary, twoFloats + "x");
  EXPECT_EQ(refusal(), "bytes behind the 8 bytes of elements of f32[2]");
  write("");
  EXPECT_EQ(refusal(), "truncated: expected 8 bytes of magic word, found 0");
  write("\x93NUMPY\x01\0\x40"s);
  EXPECT_EQ(refusal(), "truncated: expected 2 bytes of header length, found 1");
  write("\x93NUMPY\x01\0\x40\0{'descr'"s);
  EXPECT_EQ(refusal(), "truncated: expected 64 bytes of header, found 8");
  write("\x93NUMPY\x02\0\xFF\xFF\xFF\x7F"s);
  EXPECT_EQ(refusal(), "a header of 2147483647 bytes; expected at most 65536 bytes");
}

TEST_F(Npy, RefusesOtherFormats) {
  write("PK\x03\x04 a .npz is a zip");
  EXPECT_EQ(refusal(), "not a .npy file: it does not start with \\x93NUMPY");
  write("\x93NUMPY\x04\0\x40\0"s);
  EXPECT_EQ(refusal(), "expected version 1.0, 2.0 or 3.0 of the .npy format, found 4.0");
}

TEST_F(Npy, RefusesOtherHeaders) {
  const auto refused = [&](const std::string &dictionary) { return refusalOfHeader(dictionary); };
  EXPECT_EQ(refused(""), "header, character 1: expected {");
  EXPECT_EQ(refused("{descr"), "header, character 2: expected the name of a field in quotes");
  EXPECT_EQ(refused("{'descr"), "header, character 2: expected the name of a field in quotes");
  EXPECT_EQ(refused("{'descr'}"), "header, character 9: expected : after 'descr'");
  EXPECT_EQ(refused("{'descr': [('x', '<f4')]}"),
            "header, character 11: structured elements are not supported; save one array for each "
            "field");
  EXPECT_EQ(refused("{'descr': 7}"),
            "header, character 11: expected the type of the elements in quotes");
  EXPECT_EQ(refused("{'fortran_order': 0}"), "header, character 19: expected True or False");
  EXPECT_EQ(refused("{'shape': 3}"), "header, character 11: expected a shape in parentheses");
  EXPECT_EQ(refused("{'shape': (3 4)}"), "header, character 14: expected , or )");
  EXPECT_EQ(refused("{'shape': (-1,)}"),
            "header, character 12: expected an extent of 0 or more that fits in 63 bits");
  EXPECT_EQ(refused("{'shape': (9223372036854775808,)}"),
            "header, character 12: expected an extent of 0 or more that fits in 63 bits");
  EXPECT_EQ(refused("{'shape': (1,"),
            "header, character 14: expected an extent of 0 or more that fits in 63 bits");
  EXPECT_EQ(refused("{'shape': (" + std::string(33 * 2, '1').replace(1, 1, ",") + ")}"),
            "header, character 14: expected an extent of 0 or more that fits in 63 bits");
  EXPECT_EQ(refused("{'order': 1}"), "header, character 10: unknown field 'order', legal: 'descr', "
                                     "'fortran_order' and 'shape'");
  EXPECT_EQ(refused("{'shape': (), 'shape': ()}"),
            "header, character 23: the field 'shape' stands twice");
  EXPECT_EQ(refused("{'shape': () 'descr'"), "header, character 14: expected , or }");
  EXPECT_EQ(refused("{'descr': '<f4', 'shape': ()}"),
            "header, character 30: the field 'fortran_order' is missing");
  EXPECT_EQ(refused("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"),
            "header, character 55: expected the end of the header");
  std::string many;
  for (int i = 0; i < 33; ++i)
    many += "1,";
  EXPECT_EQ(refused("{'shape': (" + many + ")}"), "header, character 77: more than 32 dimensions");
}

TEST_F(Npy, RefusesWhatNoMemoryHolds) {
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "");
  EXPECT_EQ(refusal(), "a tensor f32[4611686018427387904, 4] is larger than any memory: its bytes "
                       "do not fit in 63 bits");
}

TEST_F(Npy, RefusesMissingFilesAndFolders) {
  EXPECT_EQ(refusal(), "cannot open: No such file or directory");
  fs::create_directory(path());
  EXPECT_EQ(refusal(), "cannot read: Is a directory");
}

TEST_F(Npy, NamesBothShapes) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::f16, {64, 128}));
  tensor.poison();
  EXPECT_FALSE(expectShape(tensor, "a.npy", {64, 128}));
  EXPECT_EQ(llvm::toString(expectShape(tensor, "a.npy", {128, 64})),
            "a.npy: expected f16[128, 64], found f16[64, 128]");
  ASSERT_FALSE(writeNpy(tensor, path()));
  const std::vector<int64_t> wanted = {128, 64};
  EXPECT_EQ(llvm::toString(readNpy(path(), ElementType::f16, &wanted).takeError()),
            path() + ": expected f16[128, 64], found f16[64, 128]");
}

TEST_F(Npy, WritingReplacesAWholeFileAndLeavesNothingBeside) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::i8, {3}));
  tensor.poison();
  write("something longer than the tensor, which must not shine through at the end ............"
        "..........................................................................");
  ASSERT_FALSE(writeNpy(tensor, path()));
  EXPECT_EQ(fs::file_size(path()), 64u + 64 + 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Npy, WritingRefusals) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::i8, {3}));
  tensor.poison();
  EXPECT_EQ(llvm::toString(writeNpy(tensor, "/dev/null")),
            "/dev/null: cannot write: not a regular file");
  EXPECT_EQ(llvm::toString(writeNpy(tensor, folder_)),
            folder_ + ": cannot write: not a regular file");
  const std::string beyond = folder_ + "/none/a.npy";
  EXPECT_EQ(llvm::toString(writeNpy(tensor, beyond)),
            beyond + ": cannot write: No such file or directory");
}
