/**
 * The elements around every page: header, navigation, draft bar, and the place of the page.
 */

import {administratorName} from '../controls/controls.js';
import {fileAddress, fill, h} from '../controls/dom.js';
import {reserveRoom} from '../controls/sticky.js';
import {paletteButton} from '../palette/palette-button.js';
import {wholeAddress} from '../routing/address-bar.js';
import {address} from '../routing/router.js';

/** The elements around every page. */
export class Shell {
    brand = h('a', {class: 'brand', href: address('settings'), 'aria-label': 'ActiveConfig'},
        h('img', {src: fileAddress('icon.svg'), alt: '', width: '22', height: '22'}),
        h('span', {}, 'ActiveConfig'));
    projectChooser = h('div', {class: 'project'});
    navigation = h('nav', {id: 'navigation', 'aria-label': 'Pages'});
    bar = h('div', {class: 'draft-place'});
    main = h('main', {id: 'main', tabindex: '-1'});
    /** @type {HTMLButtonElement} */
    menu = h('button', {
        type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'navigation',
        onclick: () => this.setMenu(this.menu.getAttribute('aria-expanded') !== 'true'),
    }, 'Menu');

    /**
     * @param {Session} session Signed-in user.
     * @param {{openPalette: () => void, signOut: () => void, openAgain: () => void,
     *     signal: AbortSignal}} actions `openAgain` shows the page in the address anew.
     */
    constructor(session, {openPalette, signOut, openAgain, signal}) {
        this.navigation.addEventListener('click', (event) => {
            const link = event.target instanceof Element && event.target.closest('a');
            if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            // The browser does not navigate to the address that is open.
            if (link.href === wholeAddress()) openAgain();
        });
        this.role = h('span', {class: 'badge'}, session.role);
        this.header = h('header', {class: 'top'}, this.menu, this.brand, this.projectChooser,
            h('div', {class: 'account'},
                paletteButton(openPalette, signal),
                h('span', {class: 'who'},
                    h('span', {class: 'name'}, administratorName(session.name)), this.role),
                h('button', {type: 'button', class: 'quiet', onclick: signOut}, 'Sign out')));
    }

    /**
     * Fills an element with the frame.
     *
     * @param {HTMLElement} root
     */
    show(root) {
        fill(root,
            h('a', {class: 'skip', href: '#main', onclick: (event) => {
                event.preventDefault();
                this.main.focus();
            }}, 'Skip to the content'),
            this.header,
            h('div', {class: 'columns'}, this.navigation,
                h('div', {class: 'content'}, this.bar, this.main)));
        reserveRoom('--header', this.header);
    }

    /**
     * Opens or closes the navigation on a narrow screen.
     *
     * @param {boolean} isOpen
     */
    setMenu(isOpen) {
        this.menu.setAttribute('aria-expanded', String(isOpen));
        this.navigation.classList.toggle('open', isOpen);
    }
}
