/** Spans of requests: the request, its admission, and its execution. Attributes are those of OpenTelemetry's semantic conventions for HTTP and Kubernetes. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FlowControl, Place } from '../../shared/apiserver/contract/flow-control.ts';
import type { ArrivingRequest } from '../../shared/apiserver/contract/http.ts';
import type { RequestInfo, ResourceRequest } from '../../shared/apiserver/contract/request-info.ts';
import { requestInfoOf } from '../../shared/apiserver/contract/request-info.ts';
import { isBeat } from '../../shared/apiserver/heartbeat-server.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { type Attributes, parseTraceparent } from './span.ts';
import type { Tracer } from './tracer.ts';

/** Nouns of our own resources and Kubernetes'; what somebody else asks for has no route. */
export type IsServed = (info: ResourceRequest) => boolean;

const routeOf = ({ group, version, namespace, resource, name, subresource }: ResourceRequest): string =>
  [
    group === '' ? '/api' : `/apis/${group}`,
    version,
    ...(namespace === '' ? [] : ['namespaces/{namespace}']),
    resource,
    ...(name === '' ? [] : ['{name}']),
    ...(subresource === '' ? [] : [subresource]),
  ].join('/');

const namesOf = ({ namespace, resource, name }: ResourceRequest): Attributes => ({
  ...(namespace === '' ? {} : { 'k8s.namespace.name': namespace }),
  ...(resource === 'pods' && name !== '' ? { 'k8s.pod.name': name } : {}),
  ...(resource === 'nodes' && name !== '' ? { 'k8s.node.name': name } : {}),
});

const startOf = ({ method, path, headers }: ArrivingRequest, info: RequestInfo, isServed: IsServed) => {
  const route = info.kind === 'resource' && isServed(info) ? routeOf(info) : undefined;
  const agent = headers['user-agent'];
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server' as const,
    attributes: {
      'http.request.method': method,
      'url.path': path,
      'url.scheme': 'https',
      ...optional('http.route', route),
      ...optional('user_agent.original', agent),
      ...(info.kind === 'resource' ? namesOf(info) : {}),
    },
  };
};

/** A span around each request but beats, whose number says nothing about what a person waits for. A beat with a `traceparent` gets one. */
export const tracedServe =
  (serve: Serve, tracer: Tracer, isServed: IsServed): Serve =>
  async (request) => {
    const info = requestInfoOf(request);
    const parent = parseTraceparent(request.headers['traceparent']);
    if (parent === undefined && isBeat(info)) return serve(request);
    const answered = async (span: Parameters<Parameters<Tracer['inSpan']>[1]>[0]) => {
      const response = await serve(request);
      const { status } = response;
      const failed = status >= 500 ? String(status) : undefined;
      span.tell(
        { 'http.response.status_code': status, ...(failed ? { 'error.type': failed } : {}) },
        failed && `HTTP ${failed}`,
      );
      return response;
    };
    return tracer.inSpan(startOf(request, info, isServed), answered, parent);
  };

/** Work that waits for a seat begins in the turn of somebody else, so it takes its own span along. */
const tracedPlace = (place: Place, tracer: Tracer): Place => {
  const names = ['admission', 'execution'];
  return {
    run: (work, bodyBytes) =>
      tracer.within({ name: names.shift() ?? 'answer' }, () =>
        place.run(AsyncLocalStorage.bind(work), bodyBytes),
      ),
  };
};

/** Spans of the work of a request: authentication; admission, with the wait for a seat and authorization; execution; and the answer of one that waited. */
export const tracedFlow = <T extends FlowControl>(flow: T, tracer: Tracer): T => ({
  ...flow,
  identify: (request, work) =>
    tracer.within({ name: 'authentication' }, () => flow.identify(request, AsyncLocalStorage.bind(work))),
  enter: (request, info, sender) => tracedPlace(flow.enter(request, info, sender), tracer),
});
