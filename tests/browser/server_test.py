#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is let in, and that hostile names stay text."""

import browser


class Server(browser.PageTest):
    def test_answers_the_token_alone(self):
        server = self.server(browser.shop())
        self.assertEqual(server.get("/api/recordings")[0], 200)
        self.assertEqual(server.get("/api/recordings", token=False)[0], 403)
        self.assertEqual(server.get("/api/recordings", token=False, headers={"Authorization": "Bearer " + "0" * 32})[0], 403)

    def test_refuses_names_that_could_be_made_to_point_here(self):
        server = self.server(browser.shop())
        self.assertEqual(server.get("/api/recordings", headers={"Host": "evil.example:80"})[0], 403)
        self.assertEqual(server.get("/api/recordings", headers={"Host": "localhost:1"})[0], 200, "a tunnel's other port")

    def test_the_token_leaves_the_address(self):
        page = self.serve(browser.shop(), fragment="view=overview")
        page.wait_until("the address has no token", lambda: "token" not in page.driver.current_url)
        self.assertEqual(page.fragment().get("view", "overview"), "overview")

    def test_hostile_names_stay_text(self):
        page = self.serve(browser.hostile_shop())
        page.wait_for_text("body", '"><b>db')
        self.assertEqual(page.all("b.evil, img, script:not([src]):not([type='application/json'])"), [])

    def test_ends_at_once_when_asked(self):
        server = self.server(browser.shop())
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    browser.main()
