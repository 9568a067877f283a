import { expect, test } from '@jest/globals';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { given } from '../../../../providers/given.ts';
import { renderDescription } from './render-description.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const WORKFLOW = { id: 'machine/ns/m1/u', state: 'running', link: 'http://ui/x' };

function described(status: object, deletionTimestamp?: string): string {
  const metadata = {
    name: 'm1',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...given({ deletionTimestamp }),
  };
  const { apiVersion, kind } = openshift.machine.resource;
  const read = openshift.machine.read({ apiVersion, kind, metadata, spec: { providerSpec: {} }, status } as never);
  return renderDescription({ summary: '', read, events: [], workflow: WORKFLOW }, NOW);
}

test('a deletion that was aborted is told, until another one is asked for', () => {
  expect(described({ delete: false })).toMatch(/Deletion: +aborted/);
  expect(described({ delete: false }, '2026-01-01T00:09:00Z')).not.toMatch(/Deletion:/);
  expect(described({ delete: true, prepareDeletionPhase: 'completed' }, '2026-01-01T00:09:00Z')).toMatch(
    /Deletion: +completed/,
  );
});
