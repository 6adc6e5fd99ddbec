"""How hard hypothesis tries: a little on every run, a lot with HYPOTHESIS_PROFILE=deep.

Tests scale the profile's ``max_examples`` by what one example costs (:func:`examples`).
"""

import os

from hypothesis import HealthCheck, Phase, settings

_COMMON = settings(
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # explaining takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("ci", _COMMON, max_examples=40, derandomize=True)
settings.register_profile("deep", _COMMON, max_examples=1500, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
