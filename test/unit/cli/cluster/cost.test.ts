import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../support/shell/command-line.ts';

describe('rollcall cost', () => {
  it('prints a line for each part, the total, and what it needs', async () => {
    const { code, printed } = await runCommandLine('cost --nodes 6_000');
    expect(code).toBe(0);
    expect(printed).toMatchInlineSnapshot(`
      "6,000 nodes, a heartbeat each 10 s, all controllers: dollars a month

                            list  after free
      heartbeats       $1,353.42   $1,347.93   600 requests/s of 10 ms and 1 WRU
      egress              $92.24      $83.24   1,024.9 GB of answers to heartbeats
      polling              $1.58       $1.27   6 queues, asked while they are empty
      ticks                $0.72       $0.63   a message each 5 s
      passes               $3.35       $3.32   one in 6 ticks, of 253.6 RRU
      sweeps               $7.21       $7.20   19 schedules
      alarms               $1.80       $0.80   18 metrics in alarms
      metrics              $0.60       $0.00   2 metrics that functions emit
      secret               $0.43       $0.43   the signing key, and reads of its public half
      logs                 $0.02       $0.00   lines of metrics and passes
      stack alone         $15.70      $13.64   without heartbeats, agents and egress
      total            $1,461.36   $1,444.81   $0.2436 per node, list

      An EKS control plane: $73.00; with capacity that is provisioned for so many nodes: $1,277.50.

      It needs:
        - heartbeatReservedConcurrency of 60, instead of 50

      After free: if the account uses AWS's free amounts of each month for nothing else.
      Not counted: changes of nodes and pods, other clients, clouds, event sinks, traces, storage. docs/benchmarks.md has the formulas."
    `);
  });

  it('prints the same as JSON', async () => {
    const { printed } = await runCommandLine('cost --nodes 100 --relay --interval 5s -o json');
    expect(JSON.parse(printed)).toMatchObject({
      nodes: 100,
      intervalSeconds: 5,
      isRelayed: true,
      dollars: expect.any(Number),
      eks: { standardDollars: 73 },
    });
  });

  it('says that a list of controllers is not priced, and prices a stack without any', async () => {
    const { printed } = await runCommandLine('cost --nodes 5 --controllers *,-job');
    expect(printed).toMatch(/^Not priced: a stack with the controllers \*,-job\./m);
    const none = await runCommandLine('cost --nodes 0 --controllers none');
    expect(none.printed).not.toMatch(/Not priced|^ticks/m);
    expect(none.printed).toMatch(/^0 nodes, no controllers: dollars a month$/m);
  });

  it('takes prices of a file', async () => {
    const world = { readFile: async () => '{ "secretMonth": 1000 }' };
    const { printed } = await runCommandLine('cost --nodes 1 --prices p.json', world);
    expect(printed).toMatch(/^secret +\$1,000\.01 +\$1,000\.01/m);
  });

  it.each([
    ['cost', '', /give the number of nodes with --nodes N/],
    ['cost --nodes -1', '', /--nodes/],
    ['cost --nodes 5 --zones 0', '', /--zones 0 is not a number from 1/],
    ['cost --nodes 5 --profile small', '', /--profile small is neither full nor lifecycle/],
    ['cost --nodes 1.5', '', /not a number/],
    ['cost --nodes 5 --interval often', '', /--interval often is not a duration/],
    ['cost --nodes 5 -o table', '', /neither text nor json/],
    ['cost --nodes 5 --prices f', '{"gold":1}', /there is no price "gold"; the prices are lambda/],
    ['cost --nodes 5 --prices f', '{"egressGb":"1"}', /egressGb is no price/],
    ['cost --nodes 5 --prices f', '[', /f is no JSON/],
    ['cost --nodes 5 --prices f', '[]', /f is no object with prices/],
  ])('refuses "%s" with %s', async (line, file, complaint) => {
    const result = await runCommandLine(line, { readFile: async () => file });
    expect(result.code).toBe(2);
    expect(result.complaint).toMatch(complaint);
  });
});
