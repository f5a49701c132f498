import assert from 'node:assert/strict';
import {test} from 'node:test';

import {firebaseValueText, hasFirebaseValue}
    from '../../Sources/Console/Pages/template/firebase-values.js';
import {reasonText} from '../../Sources/Console/Pages/users/user-settings.js';

for (const name of ['rolloutValue', 'personalizationValue', 'experimentValue']) {
    test(`a setting can have a ${name} as any value`, () => {
        assert.ok(hasFirebaseValue({defaultValue: {[name]: {}}}));
        assert.ok(hasFirebaseValue({conditionalValues: {a: {value: ''}, b: {[name]: {}}}}));
        assert.match(firebaseValueText({[name]: {}}, true), /do not get the setting/);
        assert.match(firebaseValueText({[name]: {}}, false), /counts as false/);
    });
}

test('other values are none of Firebase', () => {
    assert.ok(!hasFirebaseValue({}) && !hasFirebaseValue({defaultValue: {value: 'rolloutValue'}}));
    assert.equal(firebaseValueText({useInAppDefault: true}, true), null);
    assert.equal(firebaseValueText(undefined, false), null);
});

test('the reason for a missing value names a default value that only Firebase evaluates', () => {
    const parameter = {defaultValue: {rolloutValue: {}}};
    assert.equal(reasonText({source: 'DEFAULT', falseConditions: ['beta']}, parameter),
        'Default value, a Firebase rollout that is not evaluated, since “beta” is false');
    assert.equal(reasonText({source: 'DEFAULT'}, {defaultValue: {value: '1'}}), 'Default value');
    assert.equal(reasonText({source: 'DEFAULT'}), 'Default value');
});
