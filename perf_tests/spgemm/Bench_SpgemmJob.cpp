// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper001.hpp>
#include <spgemm/Bench_Spgemm.hpp>
#include <support/Bench_Inputs.hpp>
#include <support/Bench_Table.hpp>

#include <Lacuna_Generators.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lacuna::bench {

namespace {

/// The nodes of a mesh that the command line names.
Mesh mesh_of_spec(const std::string& spec) {
  if (!is_generator_spec(spec) || !spec.starts_with("mesh"))
    throw std::runtime_error(spec + ": a hierarchy starts from mesh27:…, mesh7:… or mesh5:…");
  const Impl::Pattern pattern = Generator::parse(spec).pattern();
  return {pattern.nx, pattern.ny, pattern.nz, pattern.block};
}

/// The paper's matrices (those named, where some are), else what was named.
std::vector<SpgemmProduct> find_spgemm_products(const Options& options) {
  std::vector<SpgemmProduct> products;
  if (!options.paper) {
    for (const std::string& argument : options.inputs)
      products.push_back(parse_spgemm_product(argument, find_source, mesh_of_spec));
    Options folder = options;
    folder.inputs.clear();
    for (MatrixSource& source : find_sources(folder)) products.push_back(square_of(std::move(source)));
    return products;
  }
  for (const SpgemmPaperMatrix& matrix : spgemm_paper_matrices())
    if (options.inputs.empty() ||
        std::find(options.inputs.begin(), options.inputs.end(), matrix.name) != options.inputs.end())
      products.push_back(square_of(spgemm_paper_source(matrix)));
  if (products.empty()) throw std::runtime_error("--paper: none of these is one of the paper's 21 matrices");
  return products;
}

/// What was left to us of the command line.
Options with_spgemm_defaults(Options options) {
  if (options.paper) {
    options.rivals = true;
    if (options.algorithms.empty()) options.algorithms = spgemm_paper_algorithms();
  }
  return options;
}

/// C = A B, all of them sparse.
class SpgemmJob : public Job {
 public:
  explicit SpgemmJob(const Options& wanted)
      : m_options(with_spgemm_defaults(wanted)),
        m_selected(find_instances(spgemm_instances(), m_options)),
        m_products(find_spgemm_products(m_options)) {}

  std::vector<Task> tasks() const override {
    return tasks_of("spgemm", m_products, m_selected,
                    [this](const SpgemmProduct& product, const SpgemmInstance& instance) {
                      double nonzeros = 0;
                      for (const SpgemmFactor& factor : product.factors) nonzeros += factor.source.nonzeros;
                      return Task{.matrix = product.name,
                                  .cost   = cost_of_task + nonzeros,
                                  .run = [this, &instance, &product](Session& session, const std::vector<std::int64_t>&,
                                                                     const ReportRecords& report) {
                                    report(instance.spgemm(session, instance.scalar, product, m_options));
                                  }};
                    });
  }

  void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
              std::size_t place) const override {
    print_problem(stream, records, copy_bandwidth, place, m_products.size());
    print_choice(stream, records, m_options);
  }

  void summarize(std::ostream& stream, const std::vector<Record>& records, double) const override {
    if (m_options.paper) print_spgemm_paper(stream, records);
  }

 private:
  Options m_options;
  std::vector<const SpgemmInstance*> m_selected;
  std::vector<SpgemmProduct> m_products;
};

}  // namespace

std::unique_ptr<Job> spgemm_job(const Options& options) { return std::make_unique<SpgemmJob>(options); }

}  // namespace lacuna::bench
