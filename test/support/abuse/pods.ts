import type { Abuse } from './abuse.ts';
import { members, PODS, pod, post, times } from './abuse.ts';

const aPod = (title: string, largest: number, specOf: (size: number) => object): Abuse => {
  const prefix = title.replaceAll(/[^a-z]+/g, '-').toLowerCase();
  return {
    name: `Pod: ${title}`,
    largest,
    request: (size) => post(PODS, pod(`p-${prefix}-${size}`, specOf(size))),
  };
};
const container = (index: number, rest: object = {}) => ({ name: `c${index}`, image: 'i', ...rest });
const one = (rest: object): object => ({ containers: [container(0, rest)] });
const toleration = (index: number) => ({ key: `k${index}`, operator: 'Exists' });
const expression = (index: number) => ({ key: `k${index}`, operator: 'In', values: ['v'] });
const term = (index: number) => ({
  labelSelector: { matchExpressions: [expression(index)] },
  topologyKey: 'zone',
});
const spread = (index: number) => ({
  maxSkew: 1,
  topologyKey: `k${index}`,
  whenUnsatisfiable: 'DoNotSchedule',
});

export const POD_ABUSES: readonly Abuse[] = [
  aPod('many containers', 40_000, (size) => ({ containers: times(size, (index) => container(index)) })),
  aPod('one container many times', 40_000, (size) => ({ containers: times(size, () => container(0)) })),
  aPod('many init containers', 40_000, (size) => ({
    initContainers: times(size, (index) => container(index)),
  })),
  aPod('many ports', 60_000, (size) =>
    one({
      ports: times(size, (index) => ({
        containerPort: (index % 65_535) + 1,
        hostPort: (index % 65_535) + 1,
        name: `p${index}`,
      })),
    }),
  ),
  aPod('one port many times', 60_000, (size) =>
    one({ ports: times(size, () => ({ containerPort: 1, hostPort: 1, name: 'p' })) }),
  ),
  aPod('many variables', 80_000, (size) =>
    one({ env: times(size, (index) => ({ name: `E${index}`, value: 'x' })) }),
  ),
  aPod('one bad variable many times', 80_000, (size) => one({ env: times(size, () => ({ name: '1=' })) })),
  aPod('a long variable', 3_000_000, (size) => one({ env: [{ name: `${'a'.repeat(size)}!` }] })),
  aPod('many volumes', 60_000, (size) => ({
    volumes: times(size, (index) => ({ name: `v${index}`, emptyDir: {} })),
  })),
  aPod('many mounts', 40_000, (size) => ({
    ...one({ volumeMounts: times(size, (index) => ({ name: 'v', mountPath: `/m${index}` })) }),
    volumes: [{ name: 'v', emptyDir: {} }],
  })),
  aPod('mounts of as many volumes', 25_000, (size) => ({
    ...one({ volumeMounts: times(size, (index) => ({ name: `v${index}`, mountPath: `/m${index}` })) }),
    volumes: times(size, (index) => ({ name: `v${index}`, emptyDir: {} })),
  })),
  aPod('one mount many times', 40_000, (size) =>
    one({ volumeMounts: times(size, () => ({ name: 'v', mountPath: '/m' })) }),
  ),
  aPod('a long path of a mount', 1_500_000, (size) =>
    one({ volumeMounts: [{ name: 'v', mountPath: '/a'.repeat(size), subPath: '../'.repeat(10) }] }),
  ),
  aPod('many tolerations', 60_000, (size) => ({ tolerations: times(size, toleration) })),
  aPod('one toleration many times', 60_000, (size) => ({ tolerations: times(size, () => toleration(0)) })),
  aPod('many aliases', 60_000, (size) => ({
    hostAliases: times(size, (index) => ({ ip: '10.0.0.1', hostnames: [`h${index}`] })),
  })),
  aPod('many constraints of topology', 30_000, (size) => ({
    topologySpreadConstraints: times(size, spread),
  })),
  aPod('one constraint of topology many times', 30_000, (size) => ({
    topologySpreadConstraints: times(size, () => spread(0)),
  })),
  aPod('many terms of affinity', 20_000, (size) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: times(size, term) } },
  })),
  aPod('many expressions of node affinity', 40_000, (size) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: times(size, expression) }],
        },
      },
    },
  })),
  aPod('many values of one expression', 200_000, (size) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'k', operator: 'In', values: times(size, (index) => `v${index}`) }] },
          ],
        },
      },
    },
  })),
  aPod('many gates', 60_000, (size) => ({
    schedulingGates: times(size, (index) => ({ name: `g${index}` })),
  })),
  aPod('many pull secrets', 60_000, (size) => ({
    imagePullSecrets: times(size, (index) => ({ name: `s${index}` })),
  })),
  aPod('many readiness gates', 60_000, (size) => ({
    readinessGates: times(size, (index) => ({ conditionType: `g${index}` })),
  })),
  // Beyond 2,048 characters of search paths there is one fault more.
  {
    ...aPod('many name servers', 100_000, (size) => ({
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: times(size, () => '10.0.0.1'),
        searches: times(size, (index) => `s${index}.test`),
      },
    })),
    smallest: 400,
  },
  aPod('many node selectors', 100_000, (size) => ({
    nodeSelector: members(size, (index) => [`k${index}`, 'v']),
  })),
  aPod('many sysctls', 60_000, (size) => ({
    securityContext: { sysctls: times(size, (index) => ({ name: `net.s${index}`, value: '1' })) },
  })),
  aPod('a long sysctl', 1_500_000, (size) => ({
    securityContext: { sysctls: [{ name: `${'a.'.repeat(size)}!`, value: '1' }] },
  })),
  aPod('many groups', 200_000, (size) => ({
    securityContext: { supplementalGroups: times(size, (index) => index) },
  })),
  aPod('many claims', 40_000, (size) => ({
    ...one({ resources: { claims: times(size, (index) => ({ name: `r${index}` })) } }),
    resourceClaims: times(size, (index) => ({ name: `r${index}`, resourceClaimName: 'x' })),
  })),
  aPod('many resources', 100_000, (size) =>
    one({
      resources: {
        limits: members(size, (index) => [`r${index}.test/x`, '1']),
        requests: members(size, (index) => [`r${index}.test/x`, '1']),
      },
    }),
  ),
  aPod('many arguments', 300_000, (size) => one({ args: times(size, () => 'x') })),
];
