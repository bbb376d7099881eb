/** Writes the dashboard and the rule file. Run it after a change of a panel, an alert or the list of controllers. */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { loadControllers } from '../lambdas/controllers.ts';
import { alertGroups } from './alerts.ts';
import { dashboardOf } from './dashboard.ts';
import { ROWS } from './panels.ts';
import { rulesOf } from './rules.ts';

const pathOf = (name: string): URL => new URL(name, import.meta.url);

const rules = rulesOf(alertGroups(await loadControllers()));
writeFileSync(pathOf('rollcall.json'), `${JSON.stringify(dashboardOf(ROWS), null, 2)}\n`);
writeFileSync(pathOf('rollcall.rules.yaml'), stringify(rules, { lineWidth: 0 }));
