import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDashboard, startDashboard } from '../../dashboard/server/start.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import { pathsOf, readIfThere } from '../../shared/serving/machine/files.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type HostProcess, rollcall, startHostProcess } from '../support/servers/host-process.ts';
import { missingBrowser, startBrowser } from './browser.ts';

const ARGS = ['--fleet', '--fast', '--listen', '127.0.0.1:0'];
/** What a browser says of answers that are no success, which are part of these tests. */
const EXPECTED = /status of 4(09|22)|ERR_FAILED/;

describe.skipIf(missingBrowser() !== undefined)('actions on the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-actions-'));
  const problems: string[] = [];
  const dashboards: RunningDashboard[] = [];
  let host: HostProcess;
  let browser: Browser;
  let page: Page;
  let dialog: Locator;

  const start = async (hasActions: boolean): Promise<RunningDashboard> => {
    const ca = readIfThere(pathsOf(folder).caCertificate);
    const hostLog = createHostLog({ format: 'text', clock: { now: Date.now }, write: () => undefined });
    const token = async () => host.adminToken;
    const started = await startDashboard({
      url: new URL(host.url),
      ca,
      port: 0,
      hasBeats: false,
      hostLog,
      token,
      ...(hasActions ? { actionToken: token } : {}),
    });
    dashboards.push(started);
    return started;
  };
  const node = (name: string): Promise<Node> => host.get<Node>(`/api/v1/nodes/${name}`);
  const open = async (name: string): Promise<void> => {
    await page.goto(`${new URL(page.url()).origin}/#/node/${name}`);
    await page.getByRole('heading', { name: `Node ${name}`, exact: true }).waitFor();
  };
  const ask = (button: string): Promise<void> =>
    page.getByRole('button', { name: button, exact: true }).click();
  const confirm = (text: string): Promise<void> =>
    dialog.getByRole('button', { name: text, exact: true }).click();
  /**
   * Confirms until the page tells so, and looks again whenever the Node has changed meanwhile: machines of the fleet may be late on a busy machine.
   * `press`: how the enabled button is pressed.
   */
  const confirmed = async (
    text: string,
    told: string,
    press: (button: Locator) => Promise<void> = (button) => button.click({ timeout: 2_000 }),
  ): Promise<void> => {
    const status = page.getByRole('status').filter({ hasText: told });
    const button = dialog.getByRole('button', { name: text, exact: true });
    const again = dialog.getByRole('button', { name: 'Look again' });
    await eventually(told, 40_000, async () => {
      if (await status.isVisible()) return true;
      if (await again.isVisible()) await again.click({ timeout: 2_000 });
      await press(button.and(page.locator(':enabled')));
      return undefined;
    });
    await dialog.waitFor({ state: 'detached' });
  };
  const focused = async (): Promise<string> => (await page.locator(':focus').textContent())?.trim() ?? '';

  beforeAll(async () => {
    host = await startHostProcess(folder, ...ARGS);
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    dialog = page.getByRole('dialog');
    await page.goto((await start(true)).link());
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(dashboards.map((one) => one.stop()));
    await host?.stop();
    rmSync(folder, { recursive: true });
  });

  it('cancel does nothing, and gives the focus back', async () => {
    await open('n1');
    await ask('Cordon…');
    await dialog.getByText('No new pod is placed on it').waitFor();
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused()).toBe('Cordon…');
    await ask('Cordon…');
    await confirm('Cancel');
    await dialog.waitFor({ state: 'detached' });
    expect((await node('n1')).spec?.unschedulable).toBeUndefined();
  });

  it('cordons a node with the keyboard alone, once for two presses, and says so', async () => {
    await page.getByRole('button', { name: 'Cordon…' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('No new pod is placed on it').waitFor();
    await page.keyboard.press('Tab');
    await confirmed('Cordon n1', 'n1 is cordoned.', async (button) => {
      await button.focus({ timeout: 2_000 });
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
    });
    // A key that is held, or pressed once more, opens nothing and leaves the message.
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('n1 is cordoned.');
    expect(await dialog.count()).toBe(0);
    expect((await node('n1')).spec?.unschedulable).toBe(true);
    await page.getByRole('button', { name: 'Uncordon…' }).waitFor();
  });

  it('does not act on a node that has changed, and looks again', async () => {
    await ask('Uncordon…');
    await dialog.getByText('New pods may be placed on it again').waitFor();
    await eventually('another change of the Node', 20_000, async () => {
      const seen = await node('n1');
      const labels = { ...seen.metadata.labels, rack: 'r9' };
      return host.send('PUT', '/api/v1/nodes/n1', { ...seen, metadata: { ...seen.metadata, labels } });
    });
    await dialog.getByRole('alert').filter({ hasText: 'has changed since this was computed' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Uncordon n1' }).isDisabled()).toBe(true);
    await confirmed('Uncordon n1', 'n1 is no longer cordoned.');
    expect((await node('n1')).spec?.unschedulable).toBeUndefined();
  });

  it('says by field which taint the API would refuse, and sets one with its value', async () => {
    await ask('Taint…');
    await dialog.getByLabel('Key').fill('a b');
    await dialog.getByRole('alert').filter({ hasText: 'taint.key: Invalid value: "a b"' }).waitFor();
    await dialog.getByLabel('Key').fill('example.com/repair');
    await dialog.getByLabel('Value').fill('disk');
    await dialog.getByText('The pods that are here stay').waitFor();
    await dialog.getByText('kubectl taint node n1 example.com/repair=disk:NoSchedule --overwrite').waitFor();
    await confirmed('Taint n1', 'n1 is tainted.');
    expect((await node('n1')).spec?.taints).toMatchObject([
      { key: 'example.com/repair', value: 'disk', effect: 'NoSchedule' },
    ]);
    await ask('Remove a taint…');
    await dialog.getByText('New pods may be placed on it again').waitFor();
    await confirmed('Remove the taint of n1', 'n1 has lost the taint.');
  });

  it('drains a node when the options let all pods go, and shows what becomes of them', async () => {
    await host.send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'debug' },
      spec: { nodeName: 'n2', containers: [{ name: 'c', image: 'i' }] },
    });
    await open('n2');
    await ask('Drain…');
    await dialog.getByText('cannot delete Pods that declare no controller').first().waitFor();
    expect(await dialog.getByRole('button', { name: 'Drain n2' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: /force/ }).check();
    await dialog.getByText('which nobody makes again: default/debug').waitFor();
    await dialog.getByRole('group', { name: 'Pods' }).getByText('default/debug').waitFor();
    await confirmed('Drain n2', 'n2 is being drained');
    let drained: Node | undefined;
    const isDrained = async (): Promise<boolean | undefined> => {
      drained = await node('n2');
      return drained.status?.conditions?.some(({ type, status }) => type === 'Drained' && status === 'True');
    };
    await eventually('the node is drained', 60_000, isDrained, { seen: () => drained });
    await page.getByText('NodeDrained').first().waitFor();
  });

  it('sets a node out of service only when it is silent, and somebody says that it is off', async () => {
    await open('n3');
    await ask('Out of service…');
    await dialog.getByText('A machine that answers is not off').waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await confirm('Cancel');
    await rollcall('outage', '--node', 'n3', '--folder', folder);
    await page.getByText('NodeStatusUnknown').first().waitFor();
    await ask('Out of service…');
    await dialog.getByText('Set this only if you know that the machine is off').waitFor();
    const button = dialog.getByRole('button', { name: 'Set n3 out of service' });
    expect(await button.isDisabled()).toBe(true);
    await confirmed('Set n3 out of service', 'n3 is set out of service.', async (enabled) => {
      const word = dialog.getByRole('checkbox', { name: 'I know that the machine is off.' });
      await word.check({ timeout: 2_000 });
      await enabled.click({ timeout: 2_000 });
    });
    expect((await node('n3')).spec?.taints).toContainEqual(
      expect.objectContaining({ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }),
    );
  });

  it('are offered as soon as the server says what may be done', async () => {
    let failures = 0;
    await page.route('**/data/actions', (route) => {
      failures += 1;
      return failures > 2 ? route.continue() : route.abort();
    });
    await open('n6');
    await page.getByRole('button', { name: 'Cordon…' }).waitFor();
    await page.unroute('**/data/actions');
    expect(failures).toBe(3);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await open('n4');
    await ask('Drain…');
    await dialog.getByText('It becomes cordoned').waitFor();
    const box = await dialog.boundingBox();
    expect(box).toMatchObject({ x: 0, width: 360 });
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const { height = 0 } = (await dialog.getByRole('button', { name: 'Drain n4' }).boundingBox()) ?? {};
    expect(height).toBeGreaterThanOrEqual(44);
    await confirm('Cancel');
  });

  it('are not there without a token for them', async () => {
    await page.goto((await start(false)).link());
    await open('n5');
    await page.getByText('Conditions', { exact: true }).waitFor();
    expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
  });

  it('broke no rule of its own security policy, and threw nothing', () => {
    expect(problems.filter((text) => !EXPECTED.test(text))).toEqual([]);
  });
});
