// SPDX-License-Identifier: Apache-2.0
// Tyto as a library: the headers that a program of yours may count on. Each ends with an example.
// Every other header is a detail: it is installed because these include it, and may change or
// go with any version.
#pragma once

// Values, options and what every long call is given.
#include "tyto/core/config.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"
#include "tyto/core/options.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/core/random.hpp"

// Data: rows without labels, and datasets with them.
#include "tyto/data/catalog.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sample/feature_store.hpp"
#include "tyto/sample/label_space.hpp"
#include "tyto/sample/prediction.hpp"
#include "tyto/sample/samples.hpp"

// Learning and answering: a whole predictor, and the parts that it is made of.
#include "tyto/engine/learn/learn.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/engine/use/prediction_session.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/slots.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/predictor/make_predictor.hpp"
#include "tyto/predictor/predictor.hpp"
#include "tyto/predictor/presets.hpp"

// Single tools: groups of like rows, scores one can trust.
#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/cluster/clusterer.hpp"

// Experiments, and worlds, protocols and measures of one's own.
#include "tyto/engine/run/experiment.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/measure/detection/summary.hpp"
#include "tyto/measure/registry.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/record.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/world.hpp"
