// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_Error.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace {

using lacuna::Testing::read_text;
using lacuna::Testing::TemporaryFile;

template <class ErrorType = lacuna::InvalidMatrix>
void expect_refused(std::string_view text, const std::string& at_line_fact) {
  const TemporaryFile file(".mtx", text);
  try {
    lacuna::Impl::read_matrix_file(file.path());
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ErrorType& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("lacuna::read_matrix: " + file.path() + ":" + at_line_fact)) << text;
  }
}

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixFileRefusals, Banner) {
  expect_refused("", "1: the file is empty");
  expect_refused("\xef\xbb\xbf", "1: the file is empty");
  expect_refused("%", "1: \"%\" is not the banner");
  expect_refused("%%Matrix Market matrix coordinate real general\n", "1: \"%%matrix\" is not the banner");
  expect_refused("%%MatrixMarket", "1: the banner ends before its object");
  expect_refused("%%MatrixMarket matrix coordinate real\n1 1 0\n", "1: the banner ends before its symmetry");
  expect_refused("%%MatrixMarket tensor coordinate real general\n",
                 "1: \"tensor\" is no object, there are: matrix vector");
  expect_refused("%%MatrixMarket matrix csr real general\n", "1: \"csr\" is no format");
  expect_refused("%%MatrixMarket matrix coordinate quaternion general\n", "1: \"quaternion\" is no field");
  expect_refused("%%MatrixMarket matrix coordinate real diagonal\n", "1: \"diagonal\" is no symmetry");
  expect_refused("%%MatrixMarket matrix array pattern general\n1 1\n", "1: an array of no values");
  expect_refused("%%MatrixMarket vector coordinate real symmetric\n1 1\n", "1: a vector has no symmetry");
}

TEST(MatrixFileRefusals, Sizes) {
  expect_refused(coordinate, "1: the file ends before its size line");
  expect_refused(coordinate + "% comment\n\n", "3: the file ends before its size line");
  expect_refused(coordinate + "3\n", "2: the number of columns is missing");
  expect_refused(coordinate + "3 3\n1 1 1\n", "2: the number of entries is missing");
  expect_refused(coordinate + "3 3 1 1\n", "2: \"1\" after the sizes");
  expect_refused(coordinate + "-3 3 1\n", "2: the number of rows -3 is negative");
  expect_refused(coordinate + "3 3 -1\n", "2: the number of entries -1 is negative");
  expect_refused(coordinate + "3.0 3 1\n", "2: the number of rows \"3.0\" is not an integer");
  expect_refused(coordinate + "99999999999999999999 3 1\n",
                 "2: the number of rows \"99999999999999999999\" does not fit");
  expect_refused("%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n", "2: 3 x 4 is not square");
  expect_refused("%%MatrixMarket matrix array real general\n9999999999 9999999999\n1\n",
                 "2: the number of entries does not");
  expect_refused("%%MatrixMarket matrix array real general\n3 3 3\n", "2: \"3\" after the sizes");
}

TEST(MatrixFileRefusals, Entries) {
  expect_refused(coordinate + "3 3 1\n4 1 1\n", "3: row index 4 is not in 1 to 3");
  expect_refused(coordinate + "3 3 1\n0 1 1\n", "3: row index 0 is not in 1 to 3");
  expect_refused(coordinate + "3 3 1\n1 -2 1\n", "3: column index -2 is not in 1 to 3");
  expect_refused(coordinate + "3 3 1\n1 99999999999999999999 1\n",
                 "3: column index \"99999999999999999999\" does not fit");
  expect_refused(coordinate + "3 3 1\n1.0 1 1\n", "3: row index \"1.0\" is not an integer");
  expect_refused(coordinate + "3 3 1\n1 x 1\n", "3: column index \"x\" is not an integer");
  expect_refused(coordinate + "3 3 1\n1\n", "3: column index is missing");
  expect_refused(coordinate + "3 3 1\n1 1\n", "3: value is missing");
  expect_refused(coordinate + "3 3 1\n1 1 1,5\n", "3: value \"1,5\" is not a number");
  expect_refused(coordinate + "3 3 1\n1 1 1.5e\n", "3: value \"1.5e\" is not a number");
  expect_refused(coordinate + "3 3 1\n1 1 0x1p3\n", "3: value \"0x1p3\" is not a number");
  expect_refused(coordinate + "3 3 1\n1 1 1.5-3\n", "3: value \"1.5-3\" is not a number");
  expect_refused(coordinate + "3 3 1\n1 1 +-1\n", "3: value \"+-1\" is not a number");
  expect_refused(coordinate + "3 3 1\n1 1 1e999\n", "3: value \"1e999\" is too large for a double");
  expect_refused(coordinate + "3 3 1\n1 1 -1D999\n", "3: value \"-1D999\" is too large for a double");
  expect_refused(coordinate + "3 3 1\n\n%\n1 1 1 1\n", "5: \"1\" after the entry");
  expect_refused(coordinate + "3 3 2\n1 1 1 2 2 1\n", "3: \"2\" after the entry");
  expect_refused(coordinate + "3 3 2\n1 1 1\n", "3: the file ends after 1 of the 2 entries that line 2 promises");
  expect_refused(coordinate + "3 3 1\n1 1 1\n2 2 2\n", "4: more entries than the 1 that line 2 promises");
  expect_refused(coordinate + "3 3 0\n1 1 1\n", "3: more entries than the 0");
  expect_refused(coordinate + "0 0 1\n1 1 1\n", "3: row index 1 is not in 1 to 0");
  expect_refused(coordinate + "3 3 1000000000000000000\n1 1 1\n",
                 "3: the file ends after 1 of the 1000000000000000000");
  expect_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", "3: imaginary part is missing");
  expect_refused("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", "3: \"1\" after the entry");
  expect_refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 99999999999999999999\n",
                 "3: value \"99999999999999999999\" does not fit in 64 bits");
  expect_refused("%%MatrixMarket matrix array real general\n2 1\n1\n", "3: the file ends after 1 of the 2");
  expect_refused("%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", "5: more entries than the 2");
  expect_refused("%%MatrixMarket matrix array real general\n2 1\n1 2\n", "3: \"2\" after the entry");
  expect_refused("%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n", "3: the file ends after 1 of");
}

const std::string rb_start = "title\n3 1 1 1\n";

TEST(MatrixFileRefusals, RutherfordBoeing) {
  expect_refused("title\n", "1: the file ends before its type of a Rutherford-Boeing matrix");
  expect_refused("1 2 3\n4 5 6\n7 8 9\n", "3: \"7\" is no type of a Rutherford-Boeing matrix");
  expect_refused(rb_start + "xua 1 1 1 0\n", "3: \"xua\" is no type");
  expect_refused(rb_start + "rua 1 x 1 0\n", "3: the number of columns \"x\" is not an integer");
  expect_refused(rb_start + "rsa 1 2 1 0\n", "3: 1 x 2 is not square");
  expect_refused(rb_start + "rua 1 -1 1 0\n", "3: a size is negative");
  expect_refused<lacuna::NotSupported>(rb_start + "rue 1 1 1 0\n", "3: an elemental");
  expect_refused<lacuna::NotSupported>(rb_start + "qua 1 1 1 0\n", "3: the values are in a file of their own");
  expect_refused(rb_start + "rua 2 2 1 0\n(4I2)(4I2)\n", "4: 2 formats, 3 are needed");
  for (const char* format :
       {"(4X2)", "(4I)", "()", "(I0)", "(4I2", "(4I2)x)", "(9999999I2)", "(3E12.)4)", "(4I2000)", "(P)", "(8A9)",
        "(I8,(1X))", "(0I8)", "(2X)", "(-I8)", "(1P,X8)", "(999(999(I2)))", "(T0,I8)", "(B,I8)"})
    expect_refused(rb_start + "pua 2 2 1 0\n(4I2)" + format + "\n", "4: ");
  const std::string two = rb_start + "rua 2 2 2 0\n(4I2)(4I2)(2F5.1)\n";
  expect_refused(two + " 1 2\n", "5: field 3 of format \"(4I2)\" is blank: the line ends before it");
  expect_refused(two, "4: the file ends after 0 of 3 column pointers");
  expect_refused(rb_start + "pua 2 0 2 0\n(4I2)(4I2)\n 1\n 1 2\n",
                 "5: the last column pointer is 1, for 2 entries it has to be 3");
  expect_refused(two + " 0 2 3\n", "5: column pointer 0 is not in 1 to 1");
  expect_refused(two + " 1 3 2\n", "5: column pointer 2 is not in 3 to 3");
  expect_refused(two + " 1 2 4\n", "5: column pointer 4 is not in 2 to 3");
  expect_refused(two + " 1 2 2\n", "5: the last column pointer is 2, for 2 entries it has to be 3");
  expect_refused(two + " 1 2 x\n", "5: column pointer \"x\" is not an integer");
  expect_refused(two + " 1 2   3\n", "5: column pointer 0 is not in 2 to 3");
  expect_refused(two + " 1 2\n 3\n", "5: field 3 of format \"(4I2)\" is blank");
  expect_refused(two + "1 2 3 \n12\n", "6: row index 12 is not in 1 to 2");
  expect_refused(two + " 1 2 3\n 1 3\n", "6: row index 3 is not in 1 to 2");
  expect_refused(two + " 1 2 3\n 1 2\n  1.5\n", "7: field 2 of format \"(2F5.1)\" is blank");
  expect_refused(two + " 1 2 3\n 1 2\n  1.51,2.5\n", "7: value \"1,2.5\" is not a number");
  expect_refused(two + " 1 2 3\n 1 2\n  1.5 1 x \n", "7: value \"1 x\" is not a number");
  expect_refused(two + " 1 2 3\n 1 2\n  1.5  abc\n", "7: value \"abc\" is not a number");
  expect_refused(two + " 1 2 3\n 1 2\n", "6: the file ends after 0 of 2 values");
  expect_refused(rb_start + "rua 1 9223372036854775807 1 0\n(4I2)(4I2)(2F5.1)\n", "3: a size is too large");
  expect_refused(rb_start + "rua 1 1000000000000 9223372036854775806 0\n(4I2)(4I2)(2F5.1)\n 1 1 1 1\n",
                 "5: the file ends after 4 of 1000000000001");
}

TEST(MatrixFileRefusals, WhatIsNoText) {
  expect_refused("BZh91AY&SY", "1: this is a bzip2 file");
  expect_refused("\xfd\x37zXZ", "1: this is an xz file");
  expect_refused("PK\x03\x04", "1: this is a zip archive");
  expect_refused("7z\xbc\xaf\x27\x1c", "1: this is a 7z archive");
  expect_refused("%PDF-1.4\n", "1: this is a PDF document");
  expect_refused("MATLAB 5.0 MAT-file, Platform", "1: this is a MAT-file of Matlab");
  expect_refused("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
                 "1: this is a pointer of Git LFS");
  expect_refused("/annex/objects/SHA256E-s12--00.mtx\n", "1: this is a pointer of git-annex");
  expect_refused("\r\n <!DOCTYPE HTML>\n<html>", "1: this is a page of HTML");
  expect_refused("<html lang=\"en\">", "1: this is a page of HTML");
  expect_refused("\xef\xbb\xbf<?xml version=\"1.0\"?>", "1: this is an XML document");
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  expect_refused(tar, "1: this is a tar archive");
  expect_refused(std::string(3000, '\0'), "1: this is a binary file");
  expect_refused(std::string(9000000, 'x'), "1: a line of more than");
  expect_refused("%%MatrixMarket matrix coordinate real general\n%" + std::string(9000000, ' '),
                 "2: a line of more than");
  std::string garbage;
  std::uint32_t state = 12345;
  for (int i = 0; i < 100000; ++i) garbage += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  expect_refused(garbage, "");
  expect_refused(coordinate + "3 3 1\n" + garbage, "3: ");
  expect_refused(coordinate + "3 3 1\n1 1 1\n" + std::string(1, '\0') + "\n", "4: ");
}

/// `text` in UTF-16, the low byte first or last, with a byte order mark or without.
std::string utf16(std::string_view text, bool low_first, bool marked) {
  std::string wide = !marked ? "" : low_first ? "\xff\xfe" : "\xfe\xff";
  for (const char c : text) wide += low_first ? std::string{c, '\0'} : std::string{'\0', c};
  return wide;
}

TEST(MatrixFileRefusals, Utf16) {
  for (const bool low_first : {false, true}) {
    for (const bool marked : {false, true})
      expect_refused(utf16(coordinate + "1 1 1\n1 1 1\n", low_first, marked), "1: this is text in UTF-16");
  }
}

TEST(MatrixFileRefusals, TwiceCompressed) {
  const TemporaryFile once(".mtx.gz"), twice(".mtx.gz");
  for (const TemporaryFile* file : {&once, &twice}) {
    lacuna::Impl::OutputFile output(file->path());
    output.stream() << (file == &once ? coordinate + "1 1 1\n1 1 1\n" : once.content());
    output.commit();
  }
  EXPECT_EQ(lacuna::Impl::read_matrix_file(once.path()).entries.size(), 1u);
  expect_refused(twice.content(), "1: this is a file that gzip has compressed twice");
}

TEST(MatrixFileRefusals, WhatIsNoRegularFile) {
  const auto expect_kind = [](const std::string& path, const std::string& kind) {
    try {
      lacuna::Impl::read_matrix_file(path);
      ADD_FAILURE() << "accepted: " << path;
    } catch (const lacuna::InvalidMatrix& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(path + ": is " + kind));
    }
  };
  // Nobody writes to this pipe: to open it would wait for ever.
  const TemporaryFile pipe(".mtx");
  std::remove(pipe.path().c_str());
  ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
  expect_kind(pipe.path(), "a pipe (FIFO)");
  expect_kind("/dev/null", "a device");
  expect_kind(testing::TempDir(), "a folder");
}

TEST(MatrixFileRefusals, WhatCannotBeOpened) {
  EXPECT_THROW(lacuna::Impl::read_matrix_file("/no/such/file.mtx"), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::Impl::read_matrix_file(""), lacuna::InvalidArgument);
  EXPECT_THROW(lacuna::Impl::read_matrix_file(testing::TempDir()), lacuna::InvalidMatrix);
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  const TemporaryFile file(".mtx", coordinate + "1 1 0\n");
  chmod(file.path().c_str(), 0);
  EXPECT_THROW(lacuna::Impl::read_matrix_file(file.path()), lacuna::InvalidMatrix);
}

/// A compressed file of a square matrix with one entry a row.
std::string compressed(std::int64_t rows) {
  const TemporaryFile file(".mtx.gz");
  const std::string size = std::to_string(rows) + " ";
  std::string text       = coordinate + size + size + size + "\n";
  for (std::int64_t i = 1; i <= rows; ++i)
    text += std::to_string(i) + " " + std::to_string(i * 7919 % rows + 1) + " 1.5\n";
  lacuna::Impl::OutputFile output(file.path());
  output.stream() << text;
  output.commit();
  EXPECT_EQ(lacuna::Impl::read_matrix_file(file.path()).entries.size(), static_cast<std::size_t>(rows));
  return file.content();
}

TEST(MatrixFileRefusals, Compressed) {
  const TemporaryFile file(".mtx.gz");
  const std::string whole = compressed(1000);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1 + bytes / 20) {
    file.write(std::string_view(whole).substr(0, bytes));
    EXPECT_THROW(lacuna::Impl::read_matrix_file(file.path()), lacuna::InvalidMatrix) << bytes;
  }
  for (std::size_t at = 20; at < whole.size(); at += 97) {
    std::string corrupt = whole;
    corrupt[at]         = static_cast<char>(corrupt[at] ^ 0x55);
    file.write(corrupt);
    EXPECT_THROW(lacuna::Impl::read_matrix_file(file.path()), lacuna::InvalidMatrix) << at;
  }
}

// Read in one block and in several: in the middle, and where nothing is missing but the check sum at the end.
TEST(MatrixFileRefusals, CompressedAndCutShort) {
  const TemporaryFile file(".mtx.gz");
  for (const std::int64_t rows : {1000, 20000}) {
    const std::string whole = compressed(rows);
    for (const std::size_t bytes : {whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
      file.write(std::string_view(whole).substr(0, bytes));
      try {
        lacuna::Impl::read_matrix_file(file.path());
        ADD_FAILURE() << bytes << " of " << whole.size();
      } catch (const lacuna::InvalidMatrix& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("the compressed file is cut short")) << bytes;
      }
    }
  }
}

TEST(MatrixFileRefusals, ManyRowsForFewEntries) {
  const std::string text = coordinate + "1000000000000 5 1\n1 1 1\n";
  EXPECT_THROW(read_text(text), lacuna::OutOfMemory);
  EXPECT_THROW(read_text(text, {.largest_index = 2147483647}), lacuna::InvalidMatrix);
  EXPECT_THROW(read_text(coordinate + "5 1000000000000 1\n1 1 1\n", {.largest_index = 2147483647}),
               lacuna::InvalidMatrix);
  EXPECT_EQ(read_text(coordinate + "5 1000000000000 1\n1 1000000000000 1\n").entries.at(0), 999999999999);
  EXPECT_THROW(read_text(coordinate + "1000 1 0\n", {.memory = 8000}), lacuna::OutOfMemory);
  EXPECT_EQ(read_text(coordinate + "999 1 0\n", {.memory = 8000}).rows, 999);
}

/// Reads, or refuses by one of the documented errors; anything else fails the test or the process.
void expect_read_or_refused(const TemporaryFile& file, const std::string& text) {
  file.write(text);
  try {
    const auto matrix = lacuna::Impl::read_matrix_file(file.path(), {.memory = 1 << 20});
    lacuna::Testing::expect_sound(matrix);
  } catch (const lacuna::InvalidMatrix& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("lacuna::read_matrix: " + file.path()));
  } catch (const lacuna::NotSupported&) {
  } catch (const lacuna::OutOfMemory&) {
  }
}

TEST(MatrixFileRefusals, EveryByteChanged) {
  const std::string samples[] = {
      "%%MatrixMarket matrix coordinate real general\n% c\n3 4 3\n1 1 1.5\n3 4 -2e1\n2 2 7\n",
      "%%MatrixMarket matrix coordinate complex hermitian\r\n2 2 2\r\n1 1 1 0\r\n2 1 2 3\r\n",
      "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
      "%%MatrixMarket vector coordinate pattern general\n5 2\n1\n5\n",
      "t\n2 1 1 1\nrua  3 2 3 0\n(3I2)(3I2)(2E9.2)\n 1 3 4\n 1 3 2\n 1.00E+00 2.00D+00\n-3.00E+00\n",
      "t\n4 1 1 1 1\nCSA  2 2 2 0\n(3I2)(3I2)(1P,2E9.2)(3F4.0)\nF 1 0\n 1 3 3\n 1 2\n 1.00E+00 2.00D+00\n 3.00E+00 "
      "4.00+001\n"};
  const TemporaryFile file(".mtx");
  for (const std::string& sample : samples) {
    file.write(sample);
    ASSERT_NO_THROW(lacuna::Impl::read_matrix_file(file.path())) << sample;
    for (std::size_t at = 0; at < sample.size(); ++at) {
      expect_read_or_refused(file, sample.substr(0, at));
      expect_read_or_refused(file, sample.substr(0, at) + sample.substr(at + 1));
      for (const char c : {'\0', '0', '9', '-', ' ', '\n', '\r', '%', '(', 'e', '\xff'}) {
        std::string changed = sample;
        changed[at]         = c;
        expect_read_or_refused(file, changed);
        expect_read_or_refused(file, sample.substr(0, at) + c + sample.substr(at));
      }
    }
  }
}

}  // namespace
