/** The alerts in the format of Prometheus' rule files. */
import type { Alert, AlertGroup } from './alerts.ts';

const ruleOf = ({ name, section, severity, expr, lasts, summary }: Alert) => ({
  alert: name,
  expr,
  for: lasts,
  labels: { severity },
  annotations: { summary, runbook_url: `docs/runbook.md#${section}` },
});

/** The content of a rule file. */
export const rulesOf = (groups: readonly AlertGroup[]) => ({
  groups: groups.map(({ name, alerts }) => ({ name: `rollcall-${name}`, rules: alerts.map(ruleOf) })),
});
