// SPDX-License-Identifier: Apache-2.0
// The verbs of the program, one file each.
#pragma once

namespace CLI {
class App;
}

namespace tyto {

void add_run_command(CLI::App& app);
void add_run_arm_command(CLI::App& app);
void add_runs_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_list_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_extract_command(CLI::App& app);
void add_learn_command(CLI::App& app);
void add_agent_command(CLI::App& app);
void add_calibrate_command(CLI::App& app);
void add_cluster_command(CLI::App& app);
void add_data_command(CLI::App& app);
void add_detect_command(CLI::App& app);
void add_make_tests_command(CLI::App& app);
void add_measure_command(CLI::App& app);
void add_serve_command(CLI::App& app);
void add_split_command(CLI::App& app);
void add_train_backbone_command(CLI::App& app);

void add_runs_diff(CLI::App& runs);   // a word of `tyto runs`
void add_data_audit(CLI::App& data);  // words of `tyto data`
void add_data_card(CLI::App& data);
void add_data_init(CLI::App& data);
void add_data_make(CLI::App& data);
void add_data_visible(CLI::App& data);

}  // namespace tyto
