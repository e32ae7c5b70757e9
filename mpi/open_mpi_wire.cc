// SPDX-License-Identifier: Apache-2.0
#include "mpi/open_mpi_wire.h"

#define OMPI_SKIP_MPICXX 1  // C++ bindings would need a library of their own
#include <mpi.h>

#include <cstdlib>
#include <list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr int kTag = 1;

absl::Status StatusOfMpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return absl::OkStatus();
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return absl::UnavailableError(absl::StrCat("MPI: ", what, ": ", text));
}

class MpiWire : public Wire {
 public:
  MpiWire(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  absl::Status Send(int to, std::string slab) override {
    Outgoing& out = outgoing_.emplace_back();
    out.bytes = std::move(slab);
    return StatusOfMpi(MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, to,
                                 kTag, MPI_COMM_WORLD, &out.request),
                       "a message cannot be sent");
  }

  absl::StatusOr<std::optional<Slab>> Receive() override {
    if (absl::Status status = DropSent(); !status.ok()) return status;
    int is_here = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status about;
    if (absl::Status status = StatusOfMpi(
            MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_here, &message, &about),
            "no message can be received");
        !status.ok())
      return status;
    if (is_here == 0) return std::optional<Slab>();
    int bytes = 0;
    MPI_Get_count(&about, MPI_BYTE, &bytes);
    if (bytes < 0 || static_cast<size_t>(bytes) > kMostSlabBytes)
      return absl::DataLossError(
          absl::StrCat("rank ", about.MPI_SOURCE, " sent a message that is too long"));
    Slab slab{about.MPI_SOURCE, std::string(static_cast<size_t>(bytes), '\0')};
    if (absl::Status status =
            StatusOfMpi(MPI_Mrecv(slab.bytes.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE),
                        "a message cannot be received");
        !status.ok())
      return status;
    return std::optional<Slab>(std::move(slab));
  }

  absl::StatusOr<bool> HasSentAll() override {
    if (absl::Status status = DropSent(); !status.ok()) return status;
    return outgoing_.empty();
  }

 private:
  struct Outgoing {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  absl::Status DropSent() {
    for (auto out = outgoing_.begin(); out != outgoing_.end();) {
      int is_sent = 0;
      if (absl::Status status = StatusOfMpi(MPI_Test(&out->request, &is_sent, MPI_STATUS_IGNORE),
                                            "a message cannot be sent");
          !status.ok())
        return status;
      out = is_sent != 0 ? outgoing_.erase(out) : std::next(out);
    }
    return absl::OkStatus();
  }

  const int rank_;
  const int size_;
  std::list<Outgoing> outgoing_;  // MPI keeps their addresses until they are sent
};

}  // namespace

absl::StatusOr<std::unique_ptr<Wire>> OpenMpiWire() {
  int level = MPI_THREAD_SINGLE;
  if (absl::Status status = StatusOfMpi(
          MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "cannot begin");
      !status.ok())
    return status;
  if (level < MPI_THREAD_SERIALIZED)
    return absl::FailedPreconditionError("this MPI allows no threads; take Debian's Open MPI");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return std::make_unique<MpiWire>(rank, size);
}

int RanksOfThisMachine() {
  MPI_Comm here = MPI_COMM_NULL;
  int size = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) ==
      MPI_SUCCESS) {
    MPI_Comm_size(here, &size);
    MPI_Comm_free(&here);
  }
  return size;
}

void EndMpi() { MPI_Finalize(); }

void AbortMpi(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace gordian
