// MuJoCo's functions, found at run time.
#pragma once

#include <mujoco/mujoco.h>

namespace rhc {

// clang-format off
#define RHC_MUJOCO_FUNCTIONS(F)                                                            \
  F(mj_version) F(mj_versionString)                                                        \
  F(mj_parseXML) F(mj_parseXMLString) F(mj_compile) F(mjs_getError) F(mj_saveXMLString)    \
  F(mj_deleteSpec) F(mj_deleteModel) F(mj_makeData) F(mj_deleteData) F(mj_resetData)       \
  F(mj_step) F(mj_fwdPosition) F(mj_fwdVelocity) F(mj_sensorPos) F(mj_sensorVel)           \
  F(mj_kinematics) F(mj_id2name) F(mju_setLogHandler)
// clang-format on

struct MujocoLibrary {
#define RHC_MUJOCO_MEMBER(name) decltype(&::name) name;
  RHC_MUJOCO_FUNCTIONS(RHC_MUJOCO_MEMBER)
#undef RHC_MUJOCO_MEMBER
};

// Opened at the first call, and open until the process ends. InputError where there is none, or one
// of another version than this rhc was built with.
const MujocoLibrary& mujoco_library();

}  // namespace rhc
