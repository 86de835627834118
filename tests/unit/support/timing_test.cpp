// The tree of named parts.
#include "support/timing.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

TEST(Timing, NothingWhenNobodyListens) {
  EXPECT_FALSE(Timing::isOn());
  const TimedScope timed("alone");
  Timing::add("alone", 1);
}

TEST(Timing, PartsNestAndAddUp) {
  Timing timing;
  EXPECT_TRUE(Timing::isOn());
  for (int i = 0; i < 3; ++i) {
    const TimedScope outer("outer");
    const TimedScope inner(i == 2 ? "last" : "inner");
    Timing::add("known", 5);
  }
  {
    const TimedScope other("other");
  }
  const Timing::Part &total = timing.total();
  ASSERT_EQ(total.parts.size(), 2u);
  const Timing::Part &outer = total.parts[0];
  EXPECT_EQ(outer.name, "outer");
  EXPECT_EQ(outer.count, 3);
  ASSERT_EQ(outer.parts.size(), 2u);
  EXPECT_EQ(outer.parts[0].name, "inner");
  EXPECT_EQ(outer.parts[0].count, 2);
  EXPECT_EQ(outer.parts[0].parts[0].milliseconds, 10);
  EXPECT_EQ(outer.parts[0].parts[0].count, 2);
  EXPECT_EQ(outer.parts[1].name, "last");
  EXPECT_EQ(total.parts[1].name, "other");
  EXPECT_GE(outer.milliseconds, outer.parts[0].milliseconds - 10);
  EXPECT_GE(total.milliseconds, outer.milliseconds);
}

TEST(Timing, ListensNoLongerThanItLives) {
  {
    const Timing timing;
  }
  EXPECT_FALSE(Timing::isOn());
}

// Small parts share a line, and time outside of the parts is listed, too.
TEST(Timing, Text) {
  Timing::Part total{"total", 200, 1, {}};
  total.parts.push_back({"passes", 150, 1, {}});
  total.parts[0].parts.push_back({"cse", 100, 4, {}});
  total.parts[0].parts.push_back({"tiny", 1, 1, {}});
  total.parts[0].parts.push_back({"tinier", 0.5, 1, {}});
  EXPECT_EQ(text(total), "        ms      %\n"
                         "   200.000  100.0  total\n"
                         "   150.000   75.0    passes\n"
                         "   100.000   50.0      cse [4]\n"
                         "     1.500    0.8      (2 small)\n"
                         "    48.500   24.2      (rest)\n"
                         "    50.000   25.0    (rest)\n");
}

} // namespace
} // namespace mmk
