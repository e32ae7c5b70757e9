#include "jobs/sources/log_reader.h"

#include "jobs/sources/json_log.h"
#include "jobs/sources/otel_log.h"
#include "jobs/sources/spark_log.h"
#include "jobs/sources/text_log.h"

namespace gordian {

std::unique_ptr<LogReader> MakeLogReader(const LogRules& rules, LogSinks& sinks) {
  switch (rules.format) {
    case LogFormat::kText:
      return std::make_unique<TextLog>(rules, sinks);
    case LogFormat::kJson:
      return std::make_unique<JsonLog>(rules, sinks);
    case LogFormat::kSpark:
      return std::make_unique<SparkLog>(sinks);
    case LogFormat::kOtel:
      return std::make_unique<OtelLog>(sinks);
    case LogFormat::kProbes:
      return nullptr;
  }
  return nullptr;
}

}  // namespace gordian
