// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/kept.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "tyto/sample/samples_state.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {

namespace {

std::vector<Index> run(Index begin, Index end) {
  std::vector<Index> rows(at(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

// Rows of the experience that are the former memory come first; after the features moved, fresh()
// no longer says how many, so the ids do. A batch that was only observed does not contain them.
Index first_new_row(const Kept& former, const Experience& experience) {
  if (experience.fresh() > 0 || former.size() == 0 || experience.size() < former.size()) {
    return experience.fresh();
  }
  const Samples head = experience.samples(run(0, former.size()));
  for (Index i = 0; i < former.size(); ++i) {
    if (head.id(i) != former.samples.id(i)) {
      return 0;
    }
  }
  return former.size();
}

bool same_store(const Samples& a, const Samples& b) {
  return Samples::share_store(a, b) ||
         StoreAccess::store(a)->digest() == StoreAccess::store(b)->digest();
}

// Bytes of a frame as a memory of its own holds it.
Index frame_bytes(const Samples& samples) {
  Index values = 0;
  if (!samples.empty()) {
    for (const std::string& source : StoreAccess::store(samples)->sources()) {
      values += samples.width(source);
    }
  }
  return values * static_cast<Index>(sizeof(float));
}

bool is_cut(const std::vector<std::vector<FrameMean>>& frames) {
  return std::any_of(frames.begin(), frames.end(), [](const auto& own) { return !own.empty(); });
}

std::vector<std::int64_t> numbers(const auto& values) {
  std::vector<std::int64_t> out;
  for (const auto value : values) {
    out.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

}  // namespace

Holding holding_of(const Samples& samples) {
  Holding out{samples.size(), 0, 0};
  for (Index i = 0; i < samples.size(); ++i) {
    out.frames += samples.frame_count(i);
  }
  out.bytes = out.frames * frame_bytes(samples);
  return out;
}

std::vector<Candidate> candidates(const Kept& former, const Experience& experience) {
  std::vector<Candidate> all;
  std::unordered_map<SampleId, std::size_t> place;  // looked up, never walked through
  place.reserve(at(former.size() + experience.size()));
  const auto consider = [&](const Candidate& candidate) {
    const auto [found, is_new] = place.emplace(candidate.id, all.size());
    if (is_new) {
      all.push_back(candidate);
    } else if (candidate.label != Label::unknown) {
      const Role role = all[found->second].role;
      all[found->second] = candidate;
      all[found->second].role = role;
    }
  };
  const Index old_bytes = frame_bytes(former.samples);
  for (Index i = 0; i < former.size(); ++i) {
    const Index frames = former.samples.frame_count(i);
    consider({former.samples.id(i), former.labels[at(i)], former.roles[at(i)], true, i, frames,
              frames * old_bytes, frames});
  }
  const Index begin = first_new_row(former, experience);
  const Samples added = experience.samples(run(begin, experience.size()));
  const Index new_bytes = frame_bytes(added);
  for (Index i = 0; i < added.size(); ++i) {
    const Index frames = added.frame_count(i);
    consider({added.id(i), experience.labels()[at(begin + i)], experience.roles()[at(begin + i)],
              false, begin + i, frames, frames * new_bytes, frames});
  }
  return all;
}

Kept kept(const Kept& former, const Experience& experience, std::span<const Candidate> chosen,
          bool copy, std::span<const std::vector<FrameMean>> frames) {
  TYTO_ASSERT(frames.empty() || frames.size() == chosen.size());
  std::vector<Index> old_rows;
  std::vector<Index> new_rows;
  std::vector<std::vector<FrameMean>> old_frames;
  std::vector<std::vector<FrameMean>> new_frames;
  Kept out;
  for (const bool old : {true, false}) {  // the two parts lie one after the other
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i].old == old) {
        (old ? old_rows : new_rows).push_back(chosen[i].row);
        (old ? old_frames : new_frames)
            .push_back(frames.empty() ? std::vector<FrameMean>() : frames[i]);
        out.labels.push_back(chosen[i].label);
        out.roles.push_back(chosen[i].role);
      }
    }
  }
  if (chosen.empty()) {
    return out;
  }
  Samples a = old_rows.empty() ? Samples() : former.samples.pick(old_rows);
  Samples b = new_rows.empty() ? Samples() : experience.samples(new_rows);
  const bool cuts_old = is_cut(old_frames);
  if (cuts_old) {
    a = a.reframed(old_frames);
  }
  if (is_cut(new_frames)) {
    b = b.reframed(new_frames);
  }
  const bool all_old = !cuts_old && b.empty() && old_rows == run(0, former.size());
  const bool lasting = b.empty() || b.lifetime() == Lifetime::lasting;
  if (all_old) {
    out.samples = former.samples;
    out.own = former.own;
  } else if (!copy && lasting && (a.empty() || (!former.own && (b.empty() || same_store(a, b))))) {
    const Samples& holder = a.empty() ? b : a;
    out.samples =
        Samples(StoreAccess::store(holder), joined_table(a, b)).reading(holder.read_source());
  } else {
    out.samples = Samples::stacked(std::array{a, b});
    out.own = true;
  }
  return out;
}

void save_kept(const Kept& kept, State& state) {
  state.set("labels", numbers(kept.labels));
  state.set("roles", numbers(kept.roles));
  if (kept.size() == 0) {
    return;
  }
  save_table(joined_table(kept.samples, {}), state);
  const FeatureStore& store = *StoreAccess::store(kept.samples);
  state.set("store", kept.own ? std::string() : store.digest());
  if (const std::string source = kept.samples.read_source(); source != "features") {
    state.set("reads", source);
  }
  if (!kept.own) {
    return;
  }
  const std::vector<Index> all = run(0, store.rows());
  const std::vector<std::string> names = store.sources();
  state.set("sources", names);
  for (std::size_t s = 0; s < names.size(); ++s) {
    Matrix values(store.rows(), kept.samples.reading("features").width(names[s]));
    store.gather(names[s], all, values);
    State& child = state.make_child(fmt::format("source_{}", s));
    child.set("values", std::move(values));
    child.set("columns", store.column_names(names[s]));
  }
}

void make_whole(State& state, const Shelf& shelf) {
  Kept whole = load_kept(state, shelf);
  if (whole.size() > 0 && !whole.own) {
    whole.samples = Samples::stacked(std::span(&whole.samples, 1));
    whole.own = true;
    save_kept(whole, state);
  }
}

Kept load_kept(const State& state, const Shelf& shelf) {
  Kept out;
  out.labels = load_labels(state, "labels");
  for (const std::int64_t role : state.get<std::vector<std::int64_t>>("roles")) {
    out.roles.push_back(static_cast<Role>(role));
  }
  if (out.labels.empty()) {
    return out;
  }
  Samples::Table table = load_table(state);
  const auto& digest = state.get<std::string>("store");
  std::shared_ptr<const FeatureStore> store;
  out.own = digest.empty();
  if (out.own) {
    std::vector<DenseStore::Source> sources;
    const auto& names = state.get<std::vector<std::string>>("sources");
    for (std::size_t s = 0; s < names.size(); ++s) {
      const State& child = state.child(fmt::format("source_{}", s));
      sources.push_back(
          {names[s], child.get<Matrix>("values"), child.get<std::vector<std::string>>("columns")});
    }
    store = std::make_shared<const DenseStore>(std::move(sources));
  } else {
    store = find_store(shelf, digest, table.id.size(), "the memory");
  }
  out.samples = Samples(std::move(store), std::move(table));
  if (state.has("reads")) {
    out.samples = out.samples.reading(state.get<std::string>("reads"));
  }
  return out;
}

}  // namespace tyto
