import { describe, expect, it } from 'vitest';
import { type AgentFlags, SettingsFault } from '../../../../agent/config/agent-settings.ts';
import { readSettings } from '../../../../agent/config/read-settings.ts';

const machine = {
  system: async () => ({
    hostName: ' Box-1\n',
    kernelVersion: '6',
    osImage: 'x',
    operatingSystem: 'linux',
    architecture: 'amd64',
  }),
};
const read = (flags: AgentFlags, yaml?: string) =>
  readSettings(flags, yaml === undefined ? undefined : { path: 'k.yaml', text: yaml }, machine);

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe('the settings of an agent', () => {
  it('have the defaults of a kubelet', async () => {
    const settings = await read({});
    expect(settings).toMatchObject({
      nodeName: 'box-1',
      nodeIps: [],
      nodeLabels: {},
      taints: [],
      registersNode: true,
      providerID: '',
      hasExternalCloud: false,
      notes: [],
      containers: { minAgeMs: 0, mostPerContainer: 1, most: -1 },
    });
    expect(settings.eviction.thresholds.map(({ signal }) => signal)).toContain('memory.available');
  });

  it('come from the file, and from flags, which win', async () => {
    const yaml = `${HEAD}registerNode: false\nproviderID: file\nregisterWithTaints: [{key: a, effect: NoSchedule}]\nmaxPods: 7\n`;
    const inFile = await read({}, yaml);
    expect(inFile).toMatchObject({ registersNode: false, providerID: 'file' });
    expect(inFile.taints).toMatchObject([{ key: 'a', effect: 'NoSchedule' }]);
    const flags = {
      'register-node': 'true',
      'provider-id': 'flag',
      'register-with-taints': 'b=1:NoExecute,c:NoSchedule',
      'cloud-provider': 'external',
      'hostname-override': 'N1',
      'node-labels': 'a=b, c = d',
      'node-ip': '192.0.2.1,2001:db8::1',
    };
    expect(await read(flags, yaml)).toMatchObject({
      registersNode: true,
      providerID: 'flag',
      hasExternalCloud: true,
      nodeName: 'n1',
      taints: [
        { key: 'b', value: '1', effect: 'NoExecute' },
        { key: 'c', value: '', effect: 'NoSchedule' },
      ],
      nodeLabels: { a: 'b', c: 'd' },
      nodeIps: ['192.0.2.1', '2001:db8::1'],
      config: { maxPods: 7 },
    });
  });

  it.each<readonly [AgentFlags, string]>([
    [{}, 'oci'],
    [{ unisolated: true }, 'none'],
    [{ 'container-runtime-endpoint': '/run/c.sock' }, 'cri'],
  ])('say who isolates containers: %j', async (flags, isolation) => {
    expect(await read(flags)).toMatchObject({ isolation });
  });

  it.each([
    ['host-image-paths', 'hostImagePaths'],
    ['image-folders', 'imageFolders'],
  ] as const)('name folders by --%s, for an OCI runtime alone', async (flag, name) => {
    const flags = { [flag]: '/srv,/var/lib/models' };
    expect(await read(flags)).toMatchObject({ [name]: ['/srv', '/var/lib/models'] });
    expect(await read({})).toMatchObject({ [name]: [] });
    const others = [{ unisolated: true }, { 'container-runtime-endpoint': '/run/c.sock' }];
    for (const other of others)
      await expect(read({ ...flags, ...other })).rejects.toThrow(`--${flag}: only with an OCI runtime`);
  });

  const SOCKET = 'unix:///run/containerd/containerd.sock';
  it.each<readonly [string, AgentFlags, string | undefined, object | undefined]>([
    ['nothing: none', {}, undefined, undefined],
    ['an empty field, as kubeadm writes it: none', {}, 'containerRuntimeEndpoint: ""\n', undefined],
    ['the field', {}, `containerRuntimeEndpoint: ${SOCKET}\n`, { endpoint: SOCKET }],
    [
      'a bare path',
      { 'container-runtime-endpoint': '/run/c.sock' },
      undefined,
      { endpoint: 'unix:///run/c.sock' },
    ],
    [
      'the flag before the field, and another one for images',
      { 'container-runtime-endpoint': 'unix:///a', 'image-service-endpoint': 'unix:///b' },
      `containerRuntimeEndpoint: ${SOCKET}\n`,
      { endpoint: 'unix:///a', imageEndpoint: 'unix:///b' },
    ],
  ])('name a container runtime by %s', async (_, flags, lines, expected) => {
    const { containerRuntime } = await read(flags, lines === undefined ? undefined : `${HEAD}${lines}`);
    expect(containerRuntime).toEqual(expected);
  });

  it('name plain mode, which goes with no other runtime', async () => {
    expect(await read({ unisolated: true })).toMatchObject({ isolation: 'none' });
    const both = read({ unisolated: true, 'container-runtime-endpoint': SOCKET });
    await expect(both).rejects.toThrow('give either --unisolated or --container-runtime-endpoint, not both');
    const file = read({ unisolated: true }, `${HEAD}containerRuntimeEndpoint: ${SOCKET}\n`);
    await expect(file).rejects.toThrow('containerRuntimeEndpoint: not with --unisolated');
    const unheld = read({ unisolated: true }, `${HEAD}seccompDefault: true\n`);
    await expect(unheld).rejects.toThrow('seccompDefault: not with --unisolated');
  });

  it('tell that fields of container runtimes have no effect only without one', async () => {
    const yaml = `${HEAD}clusterDNS: [10.0.0.10]\n`;
    expect((await read({}, yaml)).notes).toHaveLength(1);
    expect((await read({ 'container-runtime-endpoint': SOCKET }, yaml)).notes).toEqual([]);
    expect((await read({}, `${yaml}containerRuntimeEndpoint: ${SOCKET}\n`)).notes).toEqual([]);
  });

  it('tell which entry does not count', async () => {
    expect((await read({ 'node-ip': 'x' })).notes).toEqual(['--node-ip: x is no address and does not count']);
  });

  it.each<readonly [AgentFlags, string]>([
    [{ 'hostname-override': ' ' }, 'empty hostname is invalid'],
    [{ 'container-runtime-endpoint': 'tcp://a' }, 'containerRuntimeEndpoint: tcp://a is no path of a socket'],
    [{ 'node-ip': '192.0.2.1,192.0.2.2' }, 'bad --node-ip "192.0.2.1,192.0.2.2": must contain either'],
    [{ 'node-labels': 'a' }, '--node-labels: malformed pair "a": write it as key=value'],
    [{ 'node-labels': 'kubernetes.io/x=1' }, "unknown 'kubernetes.io' or 'k8s.io' labels"],
    [{ 'register-with-taints': 'a=b' }, '--register-with-taints: invalid taint spec: a=b'],
    [{ 'register-with-taints': 'a:NoSchedule-' }, 'none can be taken off'],
    [{ 'register-node': 'no' }, '--register-node=no: write true or false'],
    [{ 'cloud-provider': 'aws' }, '--cloud-provider=aws: write external'],
  ])('refuse %o and say what to write', async (flags, message) => {
    await expect(read(flags)).rejects.toThrow(message);
    await expect(read(flags)).rejects.toThrow(SettingsFault);
  });

  it.each([
    [`${HEAD}maxPodz: 3\n`, 'k.yaml:3: strict decoding error: unknown field "maxPodz"'],
    [`${HEAD}evictionHard: {memory.available: lots}\n`, 'evictionHard: '],
    [`${HEAD}systemReserved: {gold: "1"}\n`, 'systemReserved: cannot reserve "gold" resource'],
  ])('refuse the file %j and name the field', async (yaml, message) => {
    await expect(read({}, yaml)).rejects.toThrow(message);
  });
});
