"""Attribution: aggregated attention, gradients and occlusion, and how faithful these explanations are."""
