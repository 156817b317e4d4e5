// SPDX-License-Identifier: Apache-2.0
// Writes small HDF5 files for tests.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <hdf5.h>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Hdf5Content {
  std::string name;
  Dense<double> values;
  Index chunk_rows;    // 0: contiguous; else packed in chunks of so many rows
  bool bytes = false;  // stored as uint8
};

inline void write_hdf5(const std::filesystem::path& path,
                       const std::vector<Hdf5Content>& contents) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  for (const Hdf5Content& content : contents) {
    const std::array<hsize_t, 2> extents{static_cast<hsize_t>(content.values.rows()),
                                         static_cast<hsize_t>(content.values.cols())};
    const hid_t space = H5Screate_simple(2, extents.data(), nullptr);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (content.chunk_rows > 0) {
      const std::array<hsize_t, 2> chunk{static_cast<hsize_t>(content.chunk_rows), extents[1]};
      H5Pset_chunk(layout, 2, chunk.data());
      H5Pset_deflate(layout, 1);
    }
    const hid_t type = content.bytes ? H5T_STD_U8LE : H5T_IEEE_F64LE;
    const hid_t data =
        H5Dcreate2(file, content.name.c_str(), type, space, links, layout, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.values.data());
    H5Dclose(data);
    H5Pclose(layout);
    H5Sclose(space);
  }
  H5Pclose(links);
  H5Fclose(file);
}

}  // namespace tyto
