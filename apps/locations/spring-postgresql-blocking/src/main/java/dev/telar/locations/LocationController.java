package dev.telar.locations;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Each use case is one statement. Spring Data's own methods put a transaction around theirs. */
@RestController
@RequestMapping("/location")
class LocationController {

    private final LocationRepository locations;

    LocationController(LocationRepository locations) {
        this.locations = locations;
    }

    @GetMapping("/{id}")
    Location find(@PathVariable String id) {
        return locations.findById(LocationId.parse(id)).orElseThrow(LocationNotFoundException::new);
    }

    @PostMapping
    ResponseEntity<Location> create(@Valid @RequestBody Location location) {
        Location created = locations.save(location);
        return ResponseEntity.created(URI.create("/location/" + created.id())).body(created);
    }

    @PutMapping("/{id}")
    Location replace(@PathVariable String id, @Valid @RequestBody Location location) {
        long known = LocationId.parse(id);
        if (locations.replace(known, location) == 0) {
            throw new LocationNotFoundException();
        }
        return location.withId(known);
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(@PathVariable String id) {
        if (locations.deleteLocation(LocationId.parse(id)) == 0) {
            throw new LocationNotFoundException();
        }
    }
}
