/** Writes the dashboard and the rule file. Run it after a change of a panel, an alert or the list of controllers. */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { loadControllers } from '../lambdas/controllers.ts';
import { dashboardOf } from './grafana/dashboard.ts';
import { ROWS } from './grafana/panels.ts';
import { alertGroups } from './prometheus/alerts.ts';
import { rulesOf } from './prometheus/rules.ts';

const pathOf = (name: string): URL => new URL(name, import.meta.url);

const rules = rulesOf(alertGroups(await loadControllers()));
writeFileSync(pathOf('grafana/rollcall.json'), `${JSON.stringify(dashboardOf(ROWS), null, 2)}\n`);
writeFileSync(pathOf('prometheus/rollcall.rules.yaml'), stringify(rules, { lineWidth: 0 }));
