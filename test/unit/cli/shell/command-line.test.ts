import { describe, expect, it } from 'vitest';
import { nearest } from '../../../../cli/shell/nearest.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const COMMANDS = (await runCommandLine('--help')).printed
  .match(/^ {2}([a-z-]+) /gm)
  ?.map((line) => line.trim());

describe('every command', () => {
  it.each(COMMANDS ?? [])('%s has help with a usage and an example that contain its name', async (name) => {
    const { code, printed } = await runCommandLine(`${name} --help`);
    expect(code).toBe(0);
    expect(printed).toMatch(
      new RegExp(`^Usage: rollcall ${name}[\\s\\S]*^Example: .*rollcall ${name}\\b`, 'm'),
    );
    expect((await runCommandLine(`help ${name}`)).printed).toBe(printed);
  });

  it.each(COMMANDS ?? [])('%s refuses an unknown option, in one line', async (name) => {
    const { code, printed, complaint } = await runCommandLine(`${name} --no-such-thing`);
    expect([code, printed]).toEqual([2, '']);
    expect(complaint).toBe(
      `rollcall ${name}: there is no option --no-such-thing; see rollcall ${name} --help`,
    );
  });
});

describe('a command line', () => {
  it('of --version prints the versions of rollcall and Node', async () => {
    const { code, printed } = await runCommandLine('--version');
    expect(code).toBe(0);
    expect(printed).toMatch(/^rollcall \d+\.\d+\.\d+, Node \d+\.\d+\.\d+(, commit [0-9a-f]{7,})?$/);
  });

  it.each([
    ['', 2, /there is no command ""/],
    ['sevre', 2, /^rollcall: there is no command "sevre"; did you mean serve\? rollcall --help/],
    ['help sevre', 2, /did you mean serve\?/],
    ['constructor', 2, /there is no command "constructor"/],
    ['serve --ndoes 5', 2, /there is no option --ndoes; did you mean --nodes\?/],
    ['serve --no-flete', 2, /did you mean --fleet\?/],
    ['serve --nodes many', 2, /nodes: "many" is refused/],
    ['serve --nodes -1', 2, /--nodes needs a value/],
    ['serve extra', 2, /unexpected argument "extra"/],
    ['token --amdin', 2, /there is no option --amdin; did you mean --admin\?/],
    ['token --relay Site_A', 2, /--relay Site_A is not a name: use up to 63 lower-case letters/],
    ['relay --name -x', 2, /--name needs a value/],
    ['token --ttl', 2, /--ttl needs a value/],
    ['token --admin=yes', 2, /--admin takes no value/],
    ['token -x', 2, /there is no option -x/],
    ['token --admin --folder a --stack b', 2, /give either --folder or --stack, not both/],
    ['token --admin --folder /nowhere', 1, /no host is running in \/nowhere: start it with npm start/],
    ['token --ca --stack Mine --key-file k', 1, /cannot read the key file/],
    ['backup', 2, /give either create or restore; see rollcall backup --help/],
    ['backup FILE', 2, /give either create or restore/],
    ['backup create', 2, /give exactly one file/],
    ['backup create a --folder /nowhere', 1, /there is no state of a host in \/nowhere: give/],
    ['outage', 2, /give --zone, --node or --all; see rollcall outage --help/],
    ['outage --al', 2, /did you mean --all\?/],
  ])('of %o ends with code %i and one line', async (line, code, complaint) => {
    const result = await runCommandLine(line);
    expect(result.code).toBe(code);
    expect(result.printed).toBe('');
    expect(result.complaint).toMatch(complaint);
    expect(result.complaint.split('\n')).toHaveLength(1);
  });
});

describe('the nearest word', () => {
  const known = ['nodes', 'zones', 'node-monitor-period', 'folder'];
  it.each([
    ['ndoes', 'nodes'],
    ['node', 'nodes'],
    ['node-monitor', 'node-monitor-period'],
    ['floder', 'folder'],
    ['x', undefined],
    ['', undefined],
    ['something-else', undefined],
    ['n'.repeat(5_000), undefined],
  ])('to %o is %o', (word, expected) => expect(nearest(word, known)).toBe(expected));
});
