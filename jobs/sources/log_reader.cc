// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/log_reader.h"

#include "jobs/sources/chrome_trace.h"
#include "jobs/sources/github_log.h"
#include "jobs/sources/gitlab_log.h"
#include "jobs/sources/json_documents.h"
#include "jobs/sources/json_log.h"
#include "jobs/sources/ninja_log.h"
#include "jobs/sources/otel_log.h"
#include "jobs/sources/pairs_log.h"
#include "jobs/sources/spark_log.h"
#include "jobs/sources/text_log.h"

namespace gordian {

std::unique_ptr<LogReader> MakeLogReader(const LogRules& rules, LogSinks& sinks) {
  switch (rules.format) {
    case LogFormat::kText:
      return std::make_unique<TextLog>(rules, sinks);
    case LogFormat::kJson:
      if (rules.documents) return std::make_unique<JsonDocuments>(rules, sinks);
      return std::make_unique<JsonLog>(rules, sinks);
    case LogFormat::kPairs:
      return std::make_unique<PairsLog>(rules, sinks);
    case LogFormat::kNinja:
      return std::make_unique<NinjaLog>(rules, sinks);
    case LogFormat::kSpark:
      return std::make_unique<SparkLog>(sinks);
    case LogFormat::kOtel:
      return std::make_unique<OtelLog>(sinks);
    case LogFormat::kChrome:
      return std::make_unique<ChromeTrace>(rules, sinks);
    case LogFormat::kGithub:
      return std::make_unique<GithubLog>(sinks);
    case LogFormat::kGitlab:
      return std::make_unique<GitlabLog>(sinks);
    case LogFormat::kProbes:
      return nullptr;
  }
  return nullptr;
}

}  // namespace gordian
