import { expect, it } from 'vitest';
import { requestInfoOf } from '../../../../shared/apiserver/contract/request-info.ts';

const info = (method: string, url: string) => {
  const { pathname: path, searchParams: query } = new URL(url, 'http://api.test');
  const { kind: _kind, ...rest } = requestInfoOf({ method, path, query });
  return rest;
};

const resource = (verb: string, groupVersion: string, path: string) => {
  const [group = '', version = ''] = groupVersion.includes('/')
    ? groupVersion.split('/')
    : ['', groupVersion];
  const [namespace = '', name = '', plural = '', subresource = ''] = path.split('|');
  return { verb, group, version, resource: plural, subresource, namespace, name };
};

it.each([
  ['GET', '/api/v1/nodes', resource('list', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=true', resource('watch', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=1', resource('watch', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=yes', resource('watch', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=', resource('watch', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=0', resource('list', 'v1', '||nodes')],
  ['GET', '/api/v1/nodes?watch=False', resource('list', 'v1', '||nodes')],
  ['GET', '/api/v1/watch/nodes', resource('watch', 'v1', '||nodes')],
  ['DELETE', '/api/v1/watch/nodes', resource('watch', 'v1', '||nodes')],
  ['GET', '/api/v1/watch/nodes/n1', resource('watch', 'v1', '|n1|nodes')],
  ['GET', '/api/v1/watch/namespaces/a/pods', resource('watch', 'v1', 'a||pods')],
  [
    'GET',
    '/apis/coordination.k8s.io/v1/watch/leases',
    resource('watch', 'coordination.k8s.io/v1', '||leases'),
  ],
  ['GET', '/api/v1/nodes/n1?watch=true', resource('get', 'v1', '|n1|nodes')],
  ['HEAD', '/api/v1/nodes/n1', resource('get', 'v1', '|n1|nodes')],
  ['POST', '/api/v1/nodes', resource('create', 'v1', '||nodes')],
  ['PUT', '/api/v1/nodes/n1/status', resource('update', 'v1', '|n1|nodes|status')],
  ['PATCH', '/api/v1/nodes/n1', resource('patch', 'v1', '|n1|nodes')],
  ['DELETE', '/api/v1/nodes/n1', resource('delete', 'v1', '|n1|nodes')],
  ['DELETE', '/api/v1/nodes', resource('deletecollection', 'v1', '||nodes')],
  ['GET', '/api/v1/pods', resource('list', 'v1', '||pods')],
  ['GET', '/api/v1/namespaces/a/pods/p/status/', resource('get', 'v1', 'a|p|pods|status')],
  ['GET', '/api/v1/namespaces', resource('list', 'v1', '||namespaces')],
  ['GET', '/api/v1/namespaces/a', resource('get', 'v1', 'a|a|namespaces')],
  ['PUT', '/api/v1/namespaces/a/status', resource('update', 'v1', 'a|a|namespaces|status')],
  ['GET', '/api/v1/nodes?fieldSelector=metadata.name%3Dn1', resource('list', 'v1', '|n1|nodes')],
  ['GET', '/api/v1/nodes/a%20b', resource('get', 'v1', '|a b|nodes')],
  [
    'PUT',
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1',
    resource('update', 'coordination.k8s.io/v1', 'kube-node-lease|n1|leases'),
  ],
  [
    'POST',
    '/apis/rollcall.dev/v1/nodes/n1/heartbeat',
    resource('create', 'rollcall.dev/v1', '|n1|nodes|heartbeat'),
  ],
  ['GET', '/api', { verb: 'get', path: '/api' }],
  ['GET', '/api/v1', { verb: 'get', path: '/api/v1' }],
  ['GET', '/apis/coordination.k8s.io/v1', { verb: 'get', path: '/apis/coordination.k8s.io/v1' }],
  ['POST', '/healthz', { verb: 'post', path: '/healthz' }],
  ['OPTIONS', '/api/v1/nodes', { verb: 'options', path: '/api/v1/nodes' }],
])('reads %s %s', (method, url, expected) => {
  expect(info(method, url)).toEqual(expected);
});
