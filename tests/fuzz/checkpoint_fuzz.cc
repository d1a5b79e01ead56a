// Checkpoints, and a run that has one: what its checksum cannot tell, for it fits.
#include <fstream>

#include "rhc/core/version.h"
#include "rhc/describe/config_file.h"
#include "rhc/format/crc32.h"
#include "rhc/store/archive.h"
#include "rhc/store/run_record.h"
#include "tests/fuzz/input.h"
#include "tests/temporary_directory.h"

using namespace rhc;

namespace {

// A run that was begun, and has only its settings.
class Run {
 public:
  Run() {
    const Config config;
    directory_.write("config.toml", config_toml(config));
    directory_.write("manifest.json", manifest_json(new_manifest(config)));
  }

  void read_with(const std::string& checkpoint) const {
    std::ofstream(directory_.path() / "checkpoint", std::ios::binary) << checkpoint;
    read_run(directory_.path());
  }

 private:
  TemporaryDirectory directory_;
};

std::string with_checksum(std::string bytes) {
  const std::uint32_t sum = crc32(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Run run;
  const std::string_view bytes = as_text(data, size);
  refused_or([&] { parse_archive(bytes, "checkpoint"); });
  // The last four bytes of the input are taken for the checksum that is put right.
  const std::string whole =
      with_checksum(std::string(bytes.substr(0, size - std::min<std::size_t>(size, 4))));
  refused_or([&] {
    const NamedValues archive = parse_archive(whole, "checkpoint");
    promised(archive_bytes(parse_archive(archive_bytes(archive), "again")) ==
             archive_bytes(archive));
    // In the format of today, whatever the input's was.
    run.read_with(archive_bytes(archive));
  });
  refused_or([&] { run.read_with(whole); });
  return 0;
}
