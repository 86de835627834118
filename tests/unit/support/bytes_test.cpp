#include "support/bytes.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

TEST(Bytes, AreSaidWithKibBesideThem) {
  EXPECT_EQ(inBytes(0), "0 bytes");
  EXPECT_EQ(inBytes(1), "1 byte");
  EXPECT_EQ(inBytes(1023), "1023 bytes");
  EXPECT_EQ(inBytes(1024), "1024 bytes (1 KiB)");
  EXPECT_EQ(inBytes(102400), "102400 bytes (100 KiB)");
  EXPECT_EQ(inBytes(524032), "524032 bytes (511.75 KiB)");
  EXPECT_EQ(inBytes(1536), "1536 bytes (1.5 KiB)");
}

} // namespace
} // namespace mmk
