// What a session works towards by itself, as controls and messages tell it.

export const GOAL_STATUSES = ['active', 'paused', 'blocked', 'usage_limited', 'budget_limited', 'complete'] as const;
export type SDKGoalStatus = (typeof GOAL_STATUSES)[number];

/**
 * What the session works towards, over as many turns as it takes. Times are seconds, `*_at` since 1970; credits are US
 * dollars.
 */
export interface SDKGoalSnapshot {
  readonly id: string;
  readonly objective: string;
  readonly status: SDKGoalStatus;
  readonly turns_used: number;
  readonly max_turns?: number;
  readonly time_used_seconds: number;
  readonly credits_budget?: number;
  readonly credits_used?: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SetGoalParams {
  readonly objective?: string;
  readonly status?: SDKGoalStatus;
  readonly creditsBudget?: number | null;
}
