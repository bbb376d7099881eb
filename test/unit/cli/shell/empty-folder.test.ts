import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../cli/main.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

/** What each command needs besides a cluster; absent: it works on none. */
const ARGUMENTS: Readonly<Record<string, string | undefined>> = {
  serve: undefined,
  outage: '--all',
  restore: '',
  kubeconfig: '',
  proxy: '',
  // It is given the address of the API, and a token.
  relay: undefined,
  dashboard: '',
  simulate: undefined,
  explain: 'node n1',
  top: '',
  env: '',
  token: '--admin',
  drain: 'n1',
  hold: 'incident --until-resumed --reason fans',
  resume: 'incident',
  'rotate-key': 'status',
  agent: undefined,
  backup: 'create state.db',
  config: undefined,
  completion: undefined,
  doctor: undefined,
  // It works on tables, not on a cluster.
  aws: undefined,
  cost: undefined,
};

const lineOf = (command: string): string => `${command} ${ARGUMENTS[command] ?? ''}`.trim();

const NO_HOST =
  /no host is running in \S*\.rollcall: start it with npm start or .*rollcall serve, or give --/;
/** A backup needs no host that runs. */
const NO_STATE = /there is no state of a host in \S*\.rollcall: give the folder of one with --folder/;

describe('in an empty folder, without a variable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-empty-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const env = { HOME: folder, ROLLCALL_FOLDER: join(folder, '.rollcall') };

  it('each command is tried', () => {
    expect(Object.keys(ARGUMENTS)).toEqual(Object.keys(COMMANDS));
  });

  it.each(
    Object.keys(COMMANDS)
      .filter((command) => ARGUMENTS[command] !== undefined)
      .map(lineOf),
  )('%s says that there is no host, what to do, and nothing of AWS', async (line) => {
    const asked: string[] = [];
    const stackOutputs = async (stack: string): Promise<never> => {
      asked.push(stack);
      throw new Error('Region is missing');
    };
    const { code, complaint, printed } = await runCommandLine(line, { env, stackOutputs });
    expect({ code, printed, asked }).toEqual({ code: 1, printed: '', asked: [] });
    expect(complaint).toMatch(line.startsWith('backup') ? NO_STATE : NO_HOST);
    expect(complaint).not.toMatch(/AWS|CloudFormation|[Rr]egion|ENOENT/);
    expect(complaint.split('\n')).toHaveLength(1);
  });

  it.each([
    [{ AWS_REGION: 'eu-central-1' }, 'top'],
    [{}, 'top --stack Mine'],
  ])('the stack is asked where a variable or an option speaks of it: %o, %s', async (more, line) => {
    const { complaint } = await runCommandLine(line, { env: { ...env, ...more } });
    expect(complaint).toContain('CloudFormation stack');
  });

  it('a kubeconfig without a context to use is not said to be a host', async () => {
    const { code, complaint } = await runCommandLine('top --context other', { env });
    expect([code, complaint]).toEqual([2, expect.stringContaining('--context needs --kubeconfig')]);
  });
});
