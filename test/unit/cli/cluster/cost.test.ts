import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../support/shell/command-line.ts';

describe('rollcall cost', () => {
  it('prints a line for each part, the total, and what it needs', async () => {
    const { code, printed } = await runCommandLine('cost --nodes 6_000');
    expect(code).toBe(0);
    expect(printed).toMatchInlineSnapshot(`
      "6,000 nodes, a heartbeat each 10 s: dollars a month

      heartbeats       $1,353.42   600 requests/s of 10 ms and 1 WRU
      node monitor        $16.81   a pass each 5 s of 240.6 RRU
      egress              $92.24   1,024.9 GB of answers to heartbeats
      zones                $4.50   3 × 5 metrics
      fixed               $10.00   queues, ticks, alarms, secret; at most
      total            $1,476.97   $0.2462 per node

      An EKS control plane: $73.00; with capacity that is provisioned for so many nodes: $1,277.50.

      It needs:
        - heartbeatReservedConcurrency of 60, instead of 50

      Not counted: changes of nodes and pods, other clients, log lines. docs/benchmarks.md has the formulas."
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

  it('takes prices of a file', async () => {
    const world = { readFile: async () => '{ "fixedMonth": 1000 }' };
    const { printed } = await runCommandLine('cost --nodes 1 --prices p.json', world);
    expect(printed).toMatch(/^fixed +\$1,000\.00/m);
  });

  it.each([
    ['cost', '', /give the number of nodes with --nodes N/],
    ['cost --nodes 0', '', /--nodes 0 is not a number from 1/],
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
