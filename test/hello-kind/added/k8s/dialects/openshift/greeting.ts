import type { GreetingObject } from '../../api/machine.openshift.io/greeting.ts';
import type { GreetingStatus } from '../../model/greeting.ts';
import type { Resource } from '../../resources.ts';
import { metaOf, refOf, type GreetingKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { readConditions } from './conditions.ts';
import { definitionOf } from '../definition.ts';
import { given } from '../../../providers/given.ts';

const GREETINGS: Resource = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};
const definition = definitionOf(GREETINGS);
const problemsOf = createWellFormedCheck(definition);

export const greeting: GreetingKind = {
  role: 'greeting',
  resource: GREETINGS,
  definition,
  policies: [],
  own: { labels: new Set(), annotations: new Set() },

  read(object) {
    const { metadata, spec, status } = object as GreetingObject;
    const { spec: malformed, status: unreadable } = problemsOf(object);
    return {
      meta: metaOf(object),
      clusterName: '',
      wanted: [metadata.generation, ...(unreadable === undefined ? [] : [status])],
      greeting: {
        ref: refOf(object),
        generation: metadata.generation,
        ...given({ name: malformed === undefined ? spec.name : undefined }),
      },
      status: statusOf(unreadable === undefined ? status : undefined),
    };
  },

  writeStatus: (status) => status,
};

function statusOf(stored: GreetingObject['status'] = {}): Partial<GreetingStatus> {
  const { message, observedGeneration, conditions } = stored;
  return {
    ...given({ message, observedGeneration }),
    ...given({ conditions: conditions && readConditions('greeting', conditions).own }),
  };
}
