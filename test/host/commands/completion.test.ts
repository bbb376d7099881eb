/** Completion, typed into real shells. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rollcall } from '../../support/servers/host-process.ts';

const PATIENCE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-completion-'));
const programs = join(folder, 'bin');
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';

const isThere = (shell: string): boolean => {
  const found = (process.env['PATH'] ?? '').split(delimiter).some((one) => existsSync(join(one, shell)));
  if (!found) process.stdout.write(`skipped: completion in ${shell}, which is not installed\n`);
  return found || isComplete;
};

const script = async (shell: string): Promise<string> => {
  const { code, output } = await rollcall('completion', shell);
  expect(code, output).toBe(0);
  const path = join(folder, `rollcall.${shell}`);
  writeFileSync(path, output);
  return path;
};

const env = {
  ...process.env,
  PATH: [programs, process.env['PATH']].join(delimiter),
  HOME: folder,
  KUBECONFIG: join(folder, 'kubeconfig'),
};

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { env, encoding: 'utf8', cwd: folder, timeout: PATIENCE_MS });

beforeAll(() => {
  mkdirSync(programs);
  mkdirSync(join(folder, 'backups'));
  writeFileSync(join(folder, 'kubeconfig'), 'contexts:\n- name: home\n- name: $(touch evil)\n');
  const program = join(programs, 'rollcall');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${resolve('cli/rollcall.js')}' "$@"\n`);
  chmodSync(program, 0o755);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines as they are typed, and the words that complete the last one. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['rollcall dra', ['drain']],
  ['rollcall drain --wa', ['--wait']],
  ['rollcall backup ', ['create', 'restore']],
  ['rollcall cost --output ', ['json', 'text']],
  ['rollcall simulate zone-o', ['zone-outage']],
  ['rollcall backup --folder back', ['backups']],
];

describe('completion', () => {
  it('in bash', async () => {
    const path = await script('bash');
    const complete = (line: string): readonly string[] =>
      run(
        'bash',
        '--norc',
        '-c',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it.
        'source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rollcall; printf "%s\\n" "${COMPREPLY[@]}"',
        'bash',
        path,
        ...line.split(' '),
      )
        .split('\n')
        .filter((word) => word !== '')
        .toSorted();
    for (const [line, words] of LINES) expect(complete(line), line).toEqual(words);
    expect(complete('rollcall cost --output = j')).toEqual(['json']);
    expect(complete('rollcall nonsense ')).toEqual([]);
  });

  it.runIf(isThere('fish'))('in fish', async () => {
    const path = await script('fish');
    for (const [line, words] of LINES) {
      const output = run('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', path, line);
      const offered = output.split('\n').map((one) => (one.split('\t')[0] ?? '').replace(/\/$/, ''));
      expect(offered.filter((word) => word !== '').toSorted(), line).toEqual(words);
    }
  });

  it.runIf(isThere('zsh'))('in zsh', async () => {
    const path = await script('zsh');
    // A terminal of its own, in which what is typed is completed by Tab; each line ends when what completes it is there.
    const typed = [
      ['rollcall dra', 'drain'],
      ['rollcall drain --wa', '--wait'],
      ['rollcall backup c', 'create'],
      ['rollcall cost --output=j', 'json'],
      ['rollcall simulate zone-o', 'zone-outage'],
      ['rollcall backup --folder=back', 'backups'],
    ];
    const terminal = [
      'zmodload zsh/zpty; zpty shell "zsh -f -i"',
      `zpty -w shell 'autoload -U compinit; compinit -u -d ${folder}/dump; source ${path}; print RE""ADY'`,
      'zpty -r shell seen "*READY*" || exit 1',
      ...typed.flatMap(([line, word]) => [
        `zpty -w -n shell '${line}'$'\\t'; zpty -r shell seen "*${word}*" || exit 1; print -- '${word}'; zpty -w -n shell $'\\C-u'`,
      ]),
      'zpty -d shell',
    ].join('\n');
    expect(run('zsh', '-f', '-c', terminal).trim().split('\n')).toEqual(typed.map(([, word]) => word));
  });

  it('never runs what a name says', async () => {
    expect((await rollcall('__complete', 'nothing')).output).toBe('');
    const path = await script('bash');
    run(
      'bash',
      '--norc',
      '-c',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it.
      'source "$1"; cur=; COMP_WORDS=(rollcall top ""); COMP_CWORD=2; _rollcall_offer @contexts; printf "%s\\n" "${COMPREPLY[@]}" > names',
      'bash',
      path,
    );
    expect(run('cat', 'names')).toBe('home\n$(touch evil)\n');
    expect(existsSync(join(folder, 'evil'))).toBe(false);
  });
});
