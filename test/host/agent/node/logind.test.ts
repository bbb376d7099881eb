import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type AgentProcess, startAgentProcess } from '../../../support/logind/agent-process.ts';
import { missingForLogind } from '../../../support/logind/needs.ts';
import { type RealLogind, startRealLogind } from '../../../support/logind/real-logind.ts';

const OVERRIDE = '/run/systemd/logind.conf.d/99-rollcall-agent.conf';
const PATIENCE_MS = 20_000;
const SHUTDOWN = 'event Shutdown Shutdown manager detected shutdown event';
const CANCELLATION = 'event Shutdown Shutdown manager detected shutdown cancellation';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForLogind();
if (missing !== undefined)
  process.stdout.write(`skipped: shutdowns with a real systemd-logind: ${missing}\n`);

describe.runIf(missing === undefined || isComplete)(
  'an agent beside a real systemd-logind',
  { timeout: 90_000 },
  () => {
    let folder: string;
    let logind: RealLogind;
    let agents: AgentProcess[];

    const startAgent = async (endSeconds = 0): Promise<AgentProcess> => {
      const agent = await startAgentProcess(logind.busAddress, folder, endSeconds);
      agents.push(agent);
      return agent;
    };
    const recordFile = (): unknown =>
      JSON.parse(readFileSync(join(folder, 'graceful_node_shutdown_state'), 'utf8'));
    const waitUntil = (what: string, look: () => Promise<boolean> | boolean): Promise<true> =>
      eventually(what, PATIENCE_MS, async () => (await look()) || undefined, { everyMs: 20 });
    const poweredOff = () => waitUntil('the machine has powered off', () => logind.hasPoweredOff());
    const inhibitorsBecome = (count: number) =>
      waitUntil(`${count} delay shutdowns`, async () => (await logind.inhibitors()).length === count);

    beforeEach(async () => {
      expect(missing).toBeUndefined();
      folder = mkdtempSync(join(tmpdir(), 'rollcall-logind-'));
      agents = [];
      logind = await startRealLogind(folder);
    });

    afterEach(async () => {
      for (const agent of agents) await agent.end('SIGKILL');
      await logind.stop();
      rmSync(folder, { recursive: true, force: true });
      rmSync(OVERRIDE, { force: true });
    });

    it('has it wait for all grace periods together, and holds one lock', async () => {
      expect(await logind.inhibitDelaySeconds()).toBe(5);
      const agent = await startAgent();
      expect(agent.said()).toEqual(['started']);
      expect(await logind.inhibitDelaySeconds()).toBe(9);
      expect(readFileSync(OVERRIDE, 'utf8')).toMatch(/\n\[Login\]\nInhibitDelayMaxSec=9\n$/);
      expect(await logind.inhibitors()).toHaveLength(1);
      expect(await logind.listeners()).toBeGreaterThan(0);
    });

    it('ends the pods by priority before the machine goes down, and goes on after a cancellation', async () => {
      const agent = await startAgent();
      await logind.powerOff();
      await agent.heard('phase 0 of 2');
      await poweredOff();
      expect(agent.said().filter((line) => !line.startsWith('sync'))).toEqual([
        'started',
        SHUTDOWN,
        'phase 1 of 2',
        'end web 5',
        'ended web',
        'phase 2 of 2',
        'end critical 4',
        'ended critical',
        'phase 0 of 2',
      ]);
      expect(agent.said()).toContain('sync node is shutting down');
      expect(recordFile()).toEqual({
        startTime: expect.stringMatching(/Z$/),
        endTime: expect.not.stringMatching(/^0001/),
      });
      expect(await logind.inhibitors()).toEqual([]);
      agent.child.kill('SIGUSR2');
      await agent.heard('admit false 0');

      await logind.cancel();
      await agent.heard(CANCELLATION);
      await inhibitorsBecome(1);
      agent.child.kill('SIGUSR2');
      await agent.heard('admit true -');
    });

    it('does not wait longer than the grace periods', async () => {
      const agent = await startAgent(30);
      await logind.powerOff();
      await agent.heard('log Shutdown manager pod killing time out', 2);
      await poweredOff();
      expect(agent.said().filter((line) => /^(end|log)/.test(line))).toEqual([
        'end web 5',
        'log Shutdown manager pod killing time out: priority 0: undefined',
        'end critical 4',
        'log Shutdown manager pod killing time out: priority 2000000000: undefined',
      ]);
    });

    it('takes a new lock when its own is killed, and still hears of the shutdown', async () => {
      const agent = await startAgent();
      const [first = 0] = await logind.inhibitors();
      process.kill(first, 'SIGKILL');
      await waitUntil('there is another lock', async () => {
        const pids = await logind.inhibitors();
        return pids.length === 1 && !pids.includes(first);
      });
      await logind.powerOff();
      await agent.heard('ended critical');
      await poweredOff();
    });

    it('finds the bus and logind again when they restart', async () => {
      const agent = await startAgent();
      await logind.restart();
      await inhibitorsBecome(1);
      await waitUntil(
        'logind waits long enough again',
        async () => (await logind.inhibitDelaySeconds()) === 9,
      );
      await logind.powerOff();
      await agent.heard('ended critical');
      await poweredOff();
    });

    it.each([
      ['before a shutdown', undefined],
      ['while the first pods end', 'end web'],
      ['while the critical pods end', 'end critical'],
    ])('leaves no lock behind when it is killed %s', async (_, phase) => {
      const agent = await startAgent(2);
      if (phase !== undefined) {
        await logind.powerOff();
        await agent.heard(phase);
      }
      await agent.end('SIGKILL');
      await inhibitorsBecome(0);
      await waitUntil('nobody listens any more', async () => (await logind.listeners()) === 0);
      if (phase !== undefined) await poweredOff();
    });

    it('goes on with a shutdown in which it was killed and started again', async () => {
      const first = await startAgent(2);
      await logind.powerOff();
      await first.heard('end web');
      await first.end('SIGKILL');
      const second = await startAgent();
      await second.heard(SHUTDOWN);
      await second.heard('ended critical');
      await logind.cancel();
      await second.heard(CANCELLATION);
      await inhibitorsBecome(1);
    });

    it('lets the machine go when it is stopped', async () => {
      const agent = await startAgent();
      await agent.end('SIGTERM');
      await inhibitorsBecome(0);
      expect(existsSync(OVERRIDE)).toBe(true);
    });
  },
);
