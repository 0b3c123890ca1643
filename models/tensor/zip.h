// Reading zip archives as numpy writes them (.npz): stored and deflated members, no encryption, no
// zip64. Every offset and size is checked against the bytes at hand.
#ifndef MODELS_TENSOR_ZIP_H_
#define MODELS_TENSOR_ZIP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/status/result.h"

namespace bw::tensor {

// A member, from the central directory.
struct ZipEntry {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0;  // 0 stored, 8 deflated
  uint32_t crc = 0;
  uint32_t compressed_size = 0;
  uint32_t size = 0;
  uint32_t offset = 0;  // of its local header
};

// The members in the order of the central directory. `file` is for messages.
Result<std::vector<ZipEntry>> ListZip(std::string_view archive, const std::string& file);

// The contents of one member, its checksum verified. Memory grows with what is really unpacked, not
// with what the archive claims.
Result<std::string> ExtractZip(std::string_view archive, const ZipEntry& entry,
                               const std::string& file);

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_ZIP_H_
