/** Names of the modules that stand in a `go.mod` as v0.0.0: they lie in its own tree. v0.0.0-2025… is a version of something else. */
const modulesOfItsTree = (goMod: string): readonly string[] => [
  ...new Set([...goMod.matchAll(/(k8s\.io\/[a-z0-9-]+) v0\.0\.0(?=\s|$)/g)].map(([, name = '']) => name)),
];

/**
 * The `go.mod` from which Kubernetes' tests and commands are built: its own list of requirements, with the modules of its own
 * tree taken from the published ones.
 */
export const moduleText = (version: string, goMod: string): string => {
  const published = `v0.${version.replace(/^1\./, '')}`;
  return [
    'module e2e.test/kubernetes',
    ...(goMod.match(/^(go|godebug|toolchain) .*$/gm) ?? []),
    `require k8s.io/kubernetes v${version}`,
    ...(goMod.match(/^require \([\s\S]*?^\)/gm) ?? []),
    ...modulesOfItsTree(goMod).map((name) => `replace ${name} => ${name} ${published}`),
    'tool k8s.io/kubernetes/cmd/kubectl',
    'tool k8s.io/kubernetes/cmd/kube-scheduler',
    '',
  ].join('\n');
};
