/** All checks of `rollcall doctor`, in the order of the report. */
import { certificates, files, folder, port, secretFiles } from './checks/folder.ts';
import { machine } from './checks/machine.ts';
import { agentVersions, clocks, kubectlVersion, nodeVersion, proxies } from './checks/program.ts';
import { access, server } from './checks/server.ts';
import { stack } from './checks/stack.ts';
import type { Facts } from './facts/facts.ts';
import type { Status, Verdict } from './facts/verdict.ts';

const CHECKS: readonly ((facts: Facts) => readonly Verdict[])[] = [
  nodeVersion,
  folder,
  port,
  secretFiles,
  files,
  certificates,
  stack,
  proxies,
  server,
  clocks,
  access,
  kubectlVersion,
  agentVersions,
  machine,
];

/** The verdicts of all checks that apply. */
export const examine = (facts: Facts): readonly Verdict[] => CHECKS.flatMap((check) => check(facts));

/** The worst of them. */
export const worst = (verdicts: readonly Verdict[]): Status => {
  const has = (status: Status): boolean => verdicts.some((verdict) => verdict.status === status);
  if (has('fail')) return 'fail';
  return has('warn') ? 'warn' : 'ok';
};
