#include "rhc/system/mujoco_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <mutex>
#include <sstream>

#include "rhc/core/error.h"
#include "rhc/system/mujoco_library.h"

namespace rhc {

namespace {

using SpecPointer = std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)>;
using ModelPointer = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using DataPointer = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

ModelPointer compile(mjSpec& spec, const std::string& name) {
  const MujocoLibrary& mujoco = mujoco_library();
  ModelPointer model(mujoco.mj_compile(&spec, nullptr), mujoco.mj_deleteModel);
  if (!model) throw InputError(fmt::format("{}: {}", name, mujoco.mjs_getError(&spec)));
  return model;
}

void refuse_other_files(const mjModel& model, const std::string& name) {
  const auto any = [](const int* path, mjtSize count) {
    return std::any_of(path, path + count, [](int at) { return at >= 0; });
  };
  if (any(model.mesh_pathadr, model.nmesh) || any(model.hfield_pathadr, model.nhfield) ||
      any(model.tex_pathadr, model.ntex) || any(model.skin_pathadr, model.nskin))
    throw InputError(fmt::format(
        "{}: the model has meshes, height fields or textures in files of their own, and a run must "
        "stand alone: put simple geoms in their place (a body keeps its mass by <inertial>)",
        name));
}

// How a geom is drawn: along one of its own axes.
struct Drawn {
  int geom, axis;
  double half_length;
};

class Compiled final : public MujocoModel {
 public:
  Compiled(ModelPointer model, const std::string& name)
      : mujoco_(mujoco_library()), model_(std::move(model)) {
    refuse_what_is_no_state(name);
    // A simulation that breaks down is told, not begun anew; and nothing sleeps from one step to
    // the next, for a step must not depend on those before.
    model_->opt.disableflags |= mjDSBL_AUTORESET;
    model_->opt.enableflags &= ~mjENBL_SLEEP;
    time_step = model_->opt.timestep;
    activations = model_->na;
    controls = model_->nu;
    list_parts();
    const Borrowed data(*this);
    mujoco_.mj_resetData(model_.get(), data.get());
    rest = state_of(*data);
    mujoco_.mj_kinematics(model_.get(), data.get());
    choose_plane(*data);
    list_shapes(*data);
  }

  Vector step(const Vector& state, const Vector& control, int substeps) const override {
    const Vector broken = Vector::Constant(state.size(), std::nan(""));
    if (!state.allFinite() || !control.allFinite()) return broken;
    Borrowed data(*this);
    put(state, *data);
    std::copy(control.begin(), control.end(), data->ctrl);
    for (int i = 0; i < substeps; ++i) mujoco_.mj_step(model_.get(), data.get());
    for (const int problem : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
      if (data->warning[problem].number > 0) return broken;
    return state_of(*data);
  }

  Vector readings(const Vector& state) const override {
    if (!state.allFinite()) return Vector::Constant(model_->nsensordata, std::nan(""));
    Borrowed data(*this);
    put(state, *data);
    mujoco_.mj_fwdPosition(model_.get(), data.get());
    mujoco_.mj_sensorPos(model_.get(), data.get());
    mujoco_.mj_fwdVelocity(model_.get(), data.get());
    mujoco_.mj_sensorVel(model_.get(), data.get());
    return Eigen::Map<const Vector>(data->sensordata, model_->nsensordata);
  }

  Vector pose(const Vector& positions) const override {
    Borrowed data(*this);
    mujoco_.mj_resetData(model_.get(), data.get());
    std::copy(positions.begin(), positions.end(), data->qpos);
    mujoco_.mj_kinematics(model_.get(), data.get());
    Vector ends(4 * static_cast<Index>(moving_.size()));
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const std::array<double, 4> place = ends_of(moving_[i], *data);
      std::copy(place.begin(), place.end(), ends.data() + 4 * i);
    }
    return ends;
  }

 private:
  // A workspace for as long as somebody calculates. One in which MuJoCo gave up is not used again.
  class Borrowed {
   public:
    explicit Borrowed(const Compiled& from) : from_(from), data_(from.borrow()) {}
    ~Borrowed() {
      if (std::uncaught_exceptions() == begun_) from_.give_back(std::move(data_));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    mjData* get() const { return data_.get(); }
    mjData& operator*() const { return *data_; }
    mjData* operator->() const { return data_.get(); }

   private:
    const Compiled& from_;
    const int begun_ = std::uncaught_exceptions();
    DataPointer data_;
  };

  DataPointer borrow() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        DataPointer data = std::move(idle_.back());
        idle_.pop_back();
        return data;
      }
    }
    DataPointer data(mujoco_.mj_makeData(model_.get()), mujoco_.mj_deleteData);
    if (!data) throw InputError("MuJoCo found no memory for its data");
    return data;
  }

  void give_back(DataPointer data) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(data));
  }

  void refuse_what_is_no_state(const std::string& name) const {
    const mjModel& m = *model_;
    refuse_other_files(m, name);
    if (m.njnt == 0) throw InputError(fmt::format("{}: the model has no joint", name));
    for (int i = 0; i < m.njnt; ++i)
      if (m.jnt_type[i] != mjJNT_HINGE && m.jnt_type[i] != mjJNT_SLIDE)
        throw InputError(fmt::format(
            "{}: joint '{}' is {}: only hinge and slide joints have states that are "
            "numbers; three slides and hinges in its place can be explored",
            name, name_of(mjOBJ_JOINT, i), m.jnt_type[i] == mjJNT_FREE ? "free" : "a ball"));
    if (m.nhistory > 0)
      throw InputError(fmt::format(
          "{}: the model has delays, which are no part of the state: leave them out", name));
    if (m.npluginstate > 0)
      throw InputError(fmt::format("{}: the model has plugins with states of their own", name));
  }

  std::string name_of(mjtObj kind, int id) const {
    const char* const name = mujoco_.mj_id2name(model_.get(), kind, id);
    return name ? name : "";
  }

  void list_parts() {
    const mjModel& m = *model_;
    const auto interval = [](mjtBool limited, const mjtNum* range) {
      return limited ? std::optional(JointRange(range[0], range[1])) : std::nullopt;
    };
    for (int i = 0; i < m.njnt; ++i) {
      const std::string name = name_of(mjOBJ_JOINT, i);
      joints.push_back({name.empty() ? fmt::format("joint{}", i) : name,
                        m.jnt_type[i] == mjJNT_HINGE,
                        interval(m.jnt_limited[i], m.jnt_range + 2 * i)});
    }
    for (int i = 0; i < m.nactuator; ++i) {
      const int control = m.actuator_ctrladr[i];
      actuators.push_back(
          {name_of(mjOBJ_ACTUATOR, i),
           interval(m.actuator_ctrllimited[control], m.actuator_ctrlrange + 2 * control), control,
           m.actuator_actadr[i]});
    }
    for (int i = 0; i < m.nsensor; ++i)
      sensors.push_back({name_of(mjOBJ_SENSOR, i), m.sensor_adr[i], m.sensor_dim[i],
                         m.sensor_needstage[i] != mjSTAGE_ACC});
    for (int i = 0; i < m.nkey; ++i) {
      Vector state(m.nq + m.nv + m.na);
      state << Eigen::Map<const Vector>(m.key_qpos + i * m.nq, m.nq),
          Eigen::Map<const Vector>(m.key_qvel + i * m.nv, m.nv),
          Eigen::Map<const Vector>(m.key_act + i * m.na, m.na);
      keyframes.push_back(
          {name_of(mjOBJ_KEY, i), state, Eigen::Map<const Vector>(m.key_ctrl + i * m.nu, m.nu)});
    }
  }

  // Everything is set: what an earlier step left, such as a guess of the solver's, counts for
  // nothing.
  void put(const Vector& state, mjData& data) const {
    const mjModel& m = *model_;
    mujoco_.mj_resetData(&m, &data);
    std::copy_n(state.data(), m.nq, data.qpos);
    std::copy_n(state.data() + m.nq, m.nv, data.qvel);
    std::copy_n(state.data() + m.nq + m.nv, m.na, data.act);
  }

  Vector state_of(const mjData& data) const {
    const mjModel& m = *model_;
    Vector state(m.nq + m.nv + m.na);
    state << Eigen::Map<const Vector>(data.qpos, m.nq), Eigen::Map<const Vector>(data.qvel, m.nv),
        Eigen::Map<const Vector>(data.act, m.na);
    return state;
  }

  // Hinges turn in the plane across their axes, slides move along theirs. x and z where nothing
  // tells.
  void choose_plane(const mjData& data) {
    Eigen::Vector3d across(0, 1e-9, 0);
    for (int i = 0; i < model_->njnt; ++i) {
      const Eigen::Vector3d axis = Eigen::Map<const Eigen::Vector3d>(data.xaxis + 3 * i).cwiseAbs();
      across += model_->jnt_type[i] == mjJNT_HINGE ? axis : Eigen::Vector3d(-axis);
    }
    Index normal;
    across.maxCoeff(&normal);
    horizontal_ = normal == 0 ? 1 : 0;
    vertical_ = normal == 2 ? 1 : 2;
  }

  void list_shapes(const mjData& data) {
    const mjModel& m = *model_;
    for (int i = 0; i < m.ngeom; ++i) {
      const mjtNum* size = m.geom_size + 3 * i;
      Drawn drawn{i, 2, 0};
      Shape shape{size[0], true};
      switch (m.geom_type[i]) {
        case mjGEOM_SPHERE:
          break;
        case mjGEOM_CAPSULE:
        case mjGEOM_CYLINDER:
          drawn.half_length = size[1];
          shape.round = m.geom_type[i] == mjGEOM_CAPSULE;
          break;
        case mjGEOM_BOX:
        case mjGEOM_ELLIPSOID: {
          // Along the longest axis that is seen, as thick as the next.
          std::array<std::pair<double, int>, 3> seen;
          for (int axis = 0; axis < 3; ++axis)
            seen[static_cast<std::size_t>(axis)] = {
                size[axis] * std::hypot(axis_of(i, axis, horizontal_, data),
                                        axis_of(i, axis, vertical_, data)),
                axis};
          std::sort(seen.rbegin(), seen.rend());
          shape.round = m.geom_type[i] == mjGEOM_ELLIPSOID;
          shape.radius = seen[1].first;
          drawn.axis = seen[0].second;
          drawn.half_length = size[drawn.axis] - (shape.round ? shape.radius : 0);
          break;
        }
        default:
          continue;
      }
      // The second end is the one that swings: away from its body's own place.
      const std::array<double, 4> ends = ends_of(drawn, data);
      const mjtNum* body = data.xpos + 3 * m.geom_bodyid[i];
      const auto distance = [&](std::size_t end) {
        return std::hypot(ends[end] - body[horizontal_], ends[end + 1] - body[vertical_]);
      };
      if (distance(0) > distance(2)) drawn.half_length *= -1;
      if (m.body_weldid[m.geom_bodyid[i]] == 0)
        shape.place = ends_of(drawn, data);
      else
        moving_.push_back(drawn);
      shapes.push_back(shape);
    }
  }

  static double axis_of(int geom, int axis, int component, const mjData& data) {
    return data.geom_xmat[9 * geom + 3 * component + axis];
  }

  std::array<double, 4> ends_of(const Drawn& drawn, const mjData& data) const {
    const mjtNum* centre = data.geom_xpos + 3 * drawn.geom;
    const double x = drawn.half_length * axis_of(drawn.geom, drawn.axis, horizontal_, data);
    const double y = drawn.half_length * axis_of(drawn.geom, drawn.axis, vertical_, data);
    return {centre[horizontal_] - x, centre[vertical_] - y, centre[horizontal_] + x,
            centre[vertical_] + y};
  }

  const MujocoLibrary& mujoco_;
  const ModelPointer model_;
  std::vector<Drawn> moving_;
  int horizontal_ = 0, vertical_ = 2;
  mutable std::mutex mutex_;
  mutable std::vector<DataPointer> idle_;
};

constexpr int kErrorSize = 1000;

// The text of a model with everything that it includes.
std::string expanded(mjSpec& spec, const std::string& name) {
  const MujocoLibrary& mujoco = mujoco_library();
  std::array<char, kErrorSize> error{};
  std::string text(1 << 20, '\0');
  for (;;) {
    const int size = mujoco.mj_saveXMLString(&spec, text.data(), static_cast<int>(text.size()),
                                             error.data(), kErrorSize);
    if (size < 0) throw InputError(fmt::format("{}: {}", name, error.data()));
    if (size == 0) return text.substr(0, text.find('\0'));
    text.assign(static_cast<std::size_t>(size) + 1, '\0');
  }
}

}  // namespace

bool has_mujoco() { return true; }

std::string mujoco_version() {
  return fmt::format("{}.{}.{}", mjVERSION_HEADER / 1000000, mjVERSION_HEADER / 1000 % 1000,
                     mjVERSION_HEADER % 1000);
}

void check_mujoco() { mujoco_library(); }

std::shared_ptr<const MujocoModel> parse_mjcf(const std::string& text, const std::string& name) {
  const MujocoLibrary& mujoco = mujoco_library();
  std::array<char, kErrorSize> error{};
  const SpecPointer spec(mujoco.mj_parseXMLString(text.c_str(), nullptr, error.data(), kErrorSize),
                         mujoco.mj_deleteSpec);
  if (!spec) throw InputError(fmt::format("{}: {}", name, error.data()));
  const auto model = std::make_shared<Compiled>(compile(*spec, name), name);
  model->mjcf = text;
  return model;
}

std::shared_ptr<const MujocoModel> read_mjcf(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file))
    throw InputError(fmt::format("cannot read the model {}: there is no such file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputError(fmt::format("cannot read the model {}", file.string()));
  // From its own folder, where the files lie that it names.
  const MujocoLibrary& mujoco = mujoco_library();
  std::array<char, kErrorSize> error{};
  const SpecPointer spec(mujoco.mj_parseXML(file.c_str(), nullptr, error.data(), kErrorSize),
                         mujoco.mj_deleteSpec);
  if (!spec) throw InputError(fmt::format("{}: {}", file.string(), error.data()));
  refuse_other_files(*compile(*spec, file.string()), file.string());
  const bool whole = text.str().find("<include") == std::string::npos;
  return parse_mjcf(whole ? text.str() : expanded(*spec, file.string()), file.string());
}

}  // namespace rhc
