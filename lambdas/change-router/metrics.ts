/** Names of the router's figures. */
export const CHANGE_ROUTER_METRICS = {
  changes: 'changes_routed_total',
  /** Records that could not be read; they are skipped. */
  badRecords: 'bad_records_total',
} as const;
