import { describe, expect, test } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../k8s/model/cause.ts';
import { OUT_OF_TURN_ANNOTATION } from '../k8s/model/control-plane.ts';
import { failureOf, machineWorld, TARGET } from '../test/world/one-machine.ts';
import { isWrite } from '../test/world/kubernetes/request.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

describe('what was written for a deletion that is over', () => {
  const annotations = { [CAUSE_ANNOTATION]: 'then ada wanted it', [OUT_OF_TURN_ANNOTATION]: 'then ada', kept: '' };

  test('is taken off the Machine of this uid, in the version that was seen, and nothing else', async () => {
    const it = machineWorld();
    it.put({ metadata: { annotations }, spec: { delete: false } });
    const { uid, resourceVersion } = it.stored()?.metadata ?? {};
    await it.activities.forgetDeletion(TARGET);
    expect(it.world.requests.find(isWrite)?.body).toMatchObject({ metadata: { uid, resourceVersion } });
    expect(it.stored()).toMatchObject({ metadata: { annotations: { kept: '' } }, spec: { delete: false } });
    expect(Object.keys(it.stored()?.metadata.annotations ?? {})).toEqual(['kept']);
  });

  test('stays where the Machine is to be deleted again, also in this moment', async () => {
    const it = machineWorld();
    it.put({ metadata: { annotations }, spec: { delete: true } });
    expect(await failureOf(it.activities.forgetDeletion(TARGET))).toBe(OBJECT_CHANGED);
    it.put({ spec: { delete: false } });
    it.next('mergePatch', async () => {
      await it.kube.others.mergePatch(MACHINES, 'default', 'm', { spec: { delete: true } });
    });
    expect(await failureOf(it.activities.forgetDeletion(TARGET))).toBe(OBJECT_CHANGED);
    expect(it.stored()?.metadata.annotations).toEqual(annotations);
  });
});
