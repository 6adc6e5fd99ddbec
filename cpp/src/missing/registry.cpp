#include "treewright/missing/registry.hpp"

#include "treewright/base/error.hpp"

namespace treewright::missing {

const std::vector<Traits>& all_traits() {
    static const std::vector<Traits> all = []<class... P>(std::tuple<P...>*) {
        return std::vector<Traits>{P::traits...};
    }(static_cast<Policies*>(nullptr));
    return all;
}

Policy policy_named(std::string_view name) {
    for (std::size_t place = 0; place < kPolicies; ++place)
        if (all_traits()[place].name == name)
            return {all_traits()[place], static_cast<std::uint8_t>(place)};
    throw InvariantError("unknown option: " + std::string(name));
}

}  // namespace treewright::missing
