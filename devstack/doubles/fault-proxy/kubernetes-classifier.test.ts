import { expect, it } from '@jest/globals';
import { createKubernetesClassifier } from './kubernetes-classifier.ts';

const { classify } = createKubernetesClassifier();
const machines = '/apis/machine.openshift.io/v1beta1/namespaces/default/machines';

it.each([
  ['GET', `${machines}/web-1`, undefined, 'get machines default/web-1'],
  ['GET', `${machines}?limit=500`, undefined, 'list machines default'],
  ['GET', `${machines}?watch=true&resourceVersion=1`, undefined, 'watch machines default (streams)'],
  ['GET', '/apis/machine.openshift.io/v1beta1/machines', undefined, 'list machines '],
  ['POST', machines, { metadata: { name: 'web-1' } }, 'create machines default/web-1'],
  ['POST', machines, { metadata: { generateName: 'web-' } }, 'create machines default/web-*'],
  ['PATCH', `${machines}/web-1?fieldManager=x`, undefined, 'patch machines default/web-1'],
  ['PATCH', `${machines}/web-1/status`, undefined, 'patch machines/status default/web-1'],
  ['PUT', `${machines}/web-1/scale`, undefined, 'update machines/scale default/web-1'],
  ['DELETE', `${machines}/web-1`, undefined, 'delete machines default/web-1'],
  ['DELETE', machines, undefined, 'deletecollection machines default'],
  ['GET', '/api/v1/nodes/n-1', undefined, 'get nodes n-1'],
  ['GET', '/api/v1/namespaces/kube-system', undefined, 'get namespaces kube-system'],
  ['PUT', '/api/v1/namespaces/x/finalize', undefined, 'update namespaces/finalize x'],
  ['GET', '/api/v1/namespaces/default/secrets/boot', undefined, 'get secrets default/boot'],
  ['POST', '/api/v1/namespaces/default/pods/p/eviction', {}, 'create pods/eviction default/p'],
  ['POST', '/api/v1/namespaces/default/events', { involvedObject: { name: 'web-1' } }, 'create events default/web-1'],
  ['POST', '/apis/events.k8s.io/v1/namespaces/d/events', { regarding: { name: 'w' } }, 'create events d/w'],
  ['PATCH', '/api/v1/namespaces/default/events/web-1.17ab', undefined, 'patch events default/web-1'],
  ['GET', '/version', undefined, undefined],
  ['GET', '/readyz', undefined, undefined],
  ['GET', '/api/v1', undefined, undefined],
  ['GET', '/apis/machine.openshift.io/v1beta1', undefined, undefined],
])('%s %s %j is %s', (method, url, body, expected) => {
  const found = classify({
    method,
    url,
    headers: {},
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
  const { verb, resource, object, streams } = found ?? {};
  const text = found === undefined ? undefined : `${verb} ${resource} ${object}${streams ? ' (streams)' : ''}`;
  expect(text).toBe(expected);
});

it('a JSON patch is told from other patches', () => {
  const verbOf = (type: string) =>
    classify({
      method: 'PATCH',
      url: `${machines}/web-1`,
      headers: { 'content-type': type },
      body: Buffer.from('[]'),
    })?.verb;
  expect(verbOf('application/json-patch+json')).toBe('json-patch');
  expect(verbOf('application/merge-patch+json')).toBe('patch');
});
