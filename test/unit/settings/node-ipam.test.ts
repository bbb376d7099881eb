import { describe, expect, it } from 'vitest';
import { parseConfiguration } from '../../../shared/settings/aws/configuration.ts';
import { InvalidSettingsError } from '../../../shared/settings/invalid-settings.ts';

const refusalOf = (given: Readonly<Record<string, unknown>>): string => {
  try {
    parseConfiguration(given);
  } catch (error) {
    if (error instanceof InvalidSettingsError) return error.message;
  }
  return 'accepted';
};

const TOO_SMALL =
  'Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family';

describe('the settings of node-ipam', () => {
  // The texts with which kube-controller-manager 1.34.4 ends, and those of its source for the rest.
  it.each([
    [
      { clusterCidr: 'fd00::/40', nodeCidrMaskSizeIpv6: 64 },
      'New CIDR set failed; the node CIDR size is too big',
    ],
    [{ clusterCidr: '10.244.0.0/24', nodeCidrMaskSize: 16 }, TOO_SMALL],
    [{ clusterCidr: '10.244.0.0/16', nodeCidrMaskSize: 64 }, TOO_SMALL],
    [
      { clusterCidr: '10.244.0.0/16,10.245.0.0/16' },
      'len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily',
    ],
    [
      { clusterCidr: '10.244.0.0/16,fd00::/56', nodeCidrMaskSize: 24 },
      'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
    ],
    [{ allocateNodeCidrs: true }, 'invalid CIDR[0]: <nil> (invalid CIDR address: )'],
    [{ clusterCidr: '10.244.0.0/16,10.0.0/8' }, 'invalid CIDR[1]: <nil> (invalid CIDR address: 10.0.0/8)'],
    [
      { clusterCidr: '10.244.0.0/16', serviceClusterIpRange: '10.96.0.0' },
      'serviceClusterIpRange: invalid CIDR[0]: <nil> (invalid CIDR address: 10.96.0.0)',
    ],
    [
      { clusterCidr: '10.244.0.0/16', nodeCidrMaskSize: 24, nodeCidrMaskSizeIpv4: 24 },
      'is not allowed if --node-cidr-mask-size is set',
    ],
    [{ clusterCidr: '10.244.0.0/16', nodeCidrMaskSizeIpv6: 64 }, 'a single-stack IPv4 cluster'],
    [{ clusterCidr: 'fd00::/56', nodeCidrMaskSizeIpv4: 24 }, 'a single-stack IPv6 cluster'],
    [{ clusterCidr: 'ten', nodeCidrMaskSize: 24 }, 'clusterCidr: "ten" is refused; give CIDRs'],
    [{ nodeCidrMaskSizeIpv4: 33 }, 'nodeCidrMaskSizeIpv4: 33 is refused; give a size of a mask'],
  ])('refuses %j', (given, text) => {
    expect(refusalOf(given)).toContain(text);
  });

  it.each([
    [{}, undefined],
    [{ nodeCidrMaskSize: 24 }, undefined],
    [{ clusterCidr: '10.244.0.0/16', allocateNodeCidrs: false }, undefined],
    [
      { clusterCidr: '10.244.0.0/16' },
      { clusterCidrs: ['10.244.0.0/16'], nodeMasks: [24], serviceRanges: [] },
    ],
    [
      { clusterCidr: 'fd00::/56', allocateNodeCidrs: 'true' },
      { clusterCidrs: ['fd00::/56'], nodeMasks: [64], serviceRanges: [] },
    ],
    [
      {
        clusterCidr: 'fd00::/56, 10.244.0.0/16',
        nodeCidrMaskSizeIpv4: '26',
        serviceClusterIpRange: '10.96.0.0/16,fd01::/112',
      },
      {
        clusterCidrs: ['fd00::/56', '10.244.0.0/16'],
        nodeMasks: [64, 26],
        serviceRanges: ['10.96.0.0/16', 'fd01::/112'],
      },
    ],
  ])('takes %j', (given, nodeIpam) => {
    expect(parseConfiguration(given).nodeIpam).toEqual(nodeIpam);
  });
});
